/** What is fixed when an index is made, from the options given. */
import { ArgumentError } from "../errors.js";
import { isPostgresAddress, refuseUnknownAddress } from "../files/place.js";
import type { IndexLayout } from "./index-types.js";

/** What is decided when an index is made; only the dimension has no default. */
export interface CreateIndexOptions extends Partial<IndexLayout> {
  readonly dimension: number;
}

/**
 * The layout of a new index, with defaults.
 * @param path without a password: errors show it
 * @throws ArgumentError; UsageError for an address of an unknown scheme
 */
export function layoutOf(path: string, options: CreateIndexOptions): IndexLayout {
  const { dimension, columns = [], types, phraseColumn, keyColumn, backend = "auto" } = options;
  const { metric = "cosine", precision = "float32", model } = options;
  if (!(Number.isInteger(dimension) && dimension > 0))
    throw new ArgumentError(`dimension must be a positive integer, not ${dimension}`);
  for (const [name, column] of Object.entries({ phraseColumn, keyColumn })) {
    if (column !== undefined && !columns.includes(column)) {
      throw new ArgumentError(`${name} "${column}" is not among the columns (${columns.join(", ")})`);
    }
  }
  refuseUnknownAddress(path);
  const needed = isPostgresAddress(path) ? "postgres" : undefined;
  if (needed !== undefined && backend !== "auto" && backend !== needed)
    throw new ArgumentError(
      `${path} needs the backend ${needed}, not ${backend}. Leave the backend out, or name a folder.`,
    );
  if (backend === "postgres" && needed !== backend)
    throw new ArgumentError(
      `${path} is no address of PostgreSQL, which the backend postgres needs: write postgres://user@host/database?table=NAME`,
    );
  const fixed = { dimension, metric, backend: needed ?? backend, precision };
  return { ...fixed, columns, types, phraseColumn, keyColumn, model };
}
