/** Matches suppliers with companies, with the estimated precision of each match. Run: node examples/join.mjs */
import { readFileSync } from "node:fs";
import { explanationLine, fuzzyJoin } from "pearl-embeddings";

const column = (file, index) =>
  readFileSync(new URL(`../data/${file}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[index]);

const companies = column("companies.csv", 1);
const suppliers = column("suppliers.csv", 0);
const { matches, unmatched, estimatedPrecision, explain } = await fuzzyJoin(companies, suppliers, {
  precision: 0.9,
});
for (const { left, right, estimatedPrecision: precision } of matches) {
  console.log(`${suppliers[right]} → ${companies[left]} (${precision.toFixed(2)})`);
}
console.log(`no match: ${unmatched.map((row) => suppliers[row]).join(", ")}`);
console.log(`estimated precision of all matches: ${estimatedPrecision.toFixed(2)}`);
console.log(`explanation of the first match: ${explanationLine(explain(matches[0].left, matches[0].right))}`);
