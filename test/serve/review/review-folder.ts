/** Small reviews for tests: tables, the review of a join, and what the file says afterwards. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDecisions, writeReview } from "../../../src/match/review/review-file.js";

export const left = {
  name: ["IBM Corp", "Acme <script>document.title='run'</script>", "Zoë\nGmbH", "007"],
  city: ["Armonk", "Bern", "", "Essen"],
};
export const right = {
  title: ["I.B.M.", "Acme, Inc", "Zoe GmbH", "7"],
  city: ["Armonk", "Basel", "Calais", "Essen"],
};

const pairs = [0, 1, 2, 3].map((row) => ({
  ...{ left: row, right: row, probability: 0.6, accepted: true, why: `pair ${row}` },
}));

/** Writes left.jsonl, right.jsonl and a review of four pairs. @param address of the review; default: a file in the folder */
export async function reviewFolder(format = "csv", address?: string) {
  const folder = await mkdtemp(join(tmpdir(), "pearl-review-"));
  const file = address ?? join(folder, `review.${format}`);
  const tables = { left, right, columns: [["name", "title"] as const] };
  await writeReview(file, tables, pairs);
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("left.jsonl", linesOf(left));
  await write("right.jsonl", linesOf(right));
  const decisions = async () =>
    (await readDecisions(file, { left, right })).map(({ left, match }) => [left + 1, match] as const);
  return { folder, file, decisions, write };
}

const linesOf = (columns: { readonly city: readonly string[] }): string =>
  columns.city
    .map((_, row) =>
      JSON.stringify(Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[row]]))),
    )
    .join("\n");
