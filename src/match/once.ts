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

/**
 * Makes the value of each number when it is asked for, and keeps those asked for last, by the last bits of their numbers.
 * @param most values that are kept at most, a power of two
 */
export function remembering<Value>(
  make: (number: number) => Value,
  most = mostRemembered,
): (number: number) => Value {
  const values = new Array<Value>(most);
  const numbers = new Int32Array(most).fill(-1);
  return (number) => {
    const slot = number & (most - 1);
    if (numbers[slot] !== number) {
      values[slot] = make(number);
      numbers[slot] = number;
    }
    return values[slot];
  };
}
