/** Matches suppliers with companies by name, with the probability of each match. Run: node examples/join.mjs */
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
const { matches, unmatched, estimate, promise, explain } = await fuzzyJoin(companies, suppliers, {
  precision: 0.9,
});
for (const { left, right, probability } of matches) {
  console.log(`${suppliers[right]} → ${companies[left]} (${probability.toFixed(2)})`);
}
console.log(`no match: ${unmatched.map((row) => suppliers[row]).join(", ")}`);
const said = promise.established ? "established" : `not established: ${promise.reason}`;
console.log(`a precision of 0.9 is ${said}; estimate ${estimate.toFixed(2)}`);
console.log(`explanation of the first match: ${explanationLine(explain(matches[0].left, matches[0].right))}`);
