/** Pairs of a name and its kind: "aspirin" and "drug". */
import { join } from "node:path";
import { createRandom, sampleWithout } from "../../../dist/random.js";
import { clean, readRows } from "../../training-tables.mjs";
import { startsWithAny } from "./phrases.mjs";

/** Words for abbreviated kinds. Other kinds in capitals are identifiers of an ontology and are skipped. */
const words = new Map([
  ["PER", "person"],
  ["PER.NOM", "person"],
  ["ORG", "organization"],
  ["GENE", "gene"],
  ["GGP", "gene"],
  ["CHEBI", "chemical"],
  ["CL", "cell"],
  ["DNA", "DNA"],
  ["RNA", "RNA"],
]);

/** Kinds that are too general to be useful. */
const vague = new Set(["abstract", "common", "form", "general", "idea", "misc", "nouns", "other", "term"]);

/**
 * Pairs typed phrases with their kinds, at most `most` per kind, for kinds with at least `fewest` phrases.
 * @param {string} data folder of the training data
 * @param {ReadonlyMap<string, unknown>} typed phrases allowed in training
 * @param {{ fewest: number, most: number, leaveOut: readonly string[], seed: number }} settings
 * @returns {Generator<[phrase: string, kind: string]>}
 */
export function* kindPairs(data, typed, { fewest, most, leaveOut, seed }) {
  /** @type {Map<string, Set<string>>} */
  const members = new Map();
  for (const [text, , , source] of readRows(join(data, "types.tsv.gz"))) {
    const kind = kindOf(source);
    const phrase = clean(text);
    if (kind === undefined || startsWithAny(source, leaveOut) !== undefined || !typed.has(phrase)) continue;
    const known = members.get(kind);
    if (known === undefined) members.set(kind, new Set([phrase]));
    else known.add(phrase);
  }
  const random = createRandom(seed + 2);
  for (const [kind, phrases] of members)
    if (phrases.size >= fewest)
      for (const phrase of sampleWithout([...phrases], most, random)) yield [phrase, kind];
}

/**
 * The kind in a source: "freebase:sports.pro_athlete" gives "pro athlete".
 * @param {string} source
 * @returns {string | undefined}
 */
function kindOf(source) {
  const [collection, fine = ""] = source.split(":", 2);
  // kinds found by patterns, such as dates, add nothing that the phrase does not show
  if (collection === "regex") return undefined;
  const known = words.get(fine);
  if (known !== undefined) return known;
  const last = fine.split(/[./]/).pop() ?? "";
  const named = last.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
  const kind = named.toLowerCase();
  return /^[a-z][a-z ]+$/.test(kind) && named !== named.toUpperCase() && !vague.has(kind) ? kind : undefined;
}
