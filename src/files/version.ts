/** The versions that records and cards name. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Version of this package. */
export const packageVersion = (): string =>
  versionIn(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** Version of an installed package; undefined where it is not installed. */
export function versionOf(name: string): string | undefined {
  try {
    const require = createRequire(import.meta.url);
    return versionIn(readFileSync(require.resolve(`${name}/package.json`), "utf8"));
  } catch {
    return undefined;
  }
}

const versionIn = (manifest: string): string => (JSON.parse(manifest) as { version: string }).version;
