/** The error for a mistyped name, with the known name nearest to it. */
import { distance } from "fastest-levenshtein";
import { UsageError } from "../errors.js";

/** "WHAT "TYPED". Did you mean NEAREST? HINT"; suggests a name within two edits or 40 % of the letters. */
export function unknownName(
  what: string,
  typed: string,
  { known, hint }: { readonly known: readonly string[]; readonly hint: string },
): UsageError {
  const ranked = known
    .map((name) => ({ name, edits: distance(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((left, right) => left.edits - right.edits);
  const near = ranked.find(
    ({ name, edits }) => edits <= Math.max(2, 0.4 * Math.max(typed.length, name.length)),
  );
  return new UsageError(`${what} "${typed}".${near ? ` Did you mean ${near.name}?` : ""} ${hint}`);
}
