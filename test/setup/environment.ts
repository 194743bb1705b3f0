/** Variables of the environment for a while. `process.env` itself is never replaced: what reads the process's environment would not see the new object. */

/**
 * Sets variables; `undefined` removes one.
 * @returns puts back what was there
 */
export function setEnvironment(changes: Readonly<Record<string, string | undefined>>): () => void {
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const);
  const put = (values: readonly (readonly [string, string | undefined])[]): void => {
    for (const [name, value] of values)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
  put(Object.entries(changes));
  return () => put(before);
}

/** Does `work` with these variables. */
export async function withEnvironment<T>(
  changes: Readonly<Record<string, string | undefined>>,
  work: () => Promise<T>,
): Promise<T> {
  const restore = setEnvironment(changes);
  try {
    return await work();
  } finally {
    restore();
  }
}
