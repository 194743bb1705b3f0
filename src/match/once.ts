/** Makes values when they are asked for. */

/** Makes a value when it is first asked for. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Values that are kept at most: those of phrases take about 100 MB. */
export const mostRemembered = 2 ** 16;

/** Makes the value of each number when it is asked for, and keeps those asked for last, by the last bits of their numbers. */
export function remembering<Value>(make: (number: number) => Value): (number: number) => Value {
  const values = new Map<number, { readonly number: number; readonly value: Value }>();
  return (number) => {
    const slot = number & (mostRemembered - 1);
    let found = values.get(slot);
    if (found?.number !== number) {
      found = { number, value: make(number) };
      values.set(slot, found);
    }
    return found.value;
  };
}
