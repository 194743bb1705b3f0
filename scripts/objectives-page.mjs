/**
 * Writes the parts of docs/objectives.md between <!-- made --> and <!-- written --> anew, of the heads of the files in
 * src/objectives, a file each, of their settings and of benchmarks/results/objectives.json. What is written by hand stays.
 *
 *     npm run build && node scripts/objectives-page.mjs
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const PAGE = new URL("../docs/objectives.md", import.meta.url);
const RESULTS = new URL("../benchmarks/results/objectives.json", import.meta.url);
/** A part that is made: the choice, the comparison, the sections. */
const PART = /(?<=<!-- made -->\n\n)[\s\S]*?(?=\n<!-- written -->)/g;

/** The table of a run of benchmarks/objectives.mjs, best first. */
function comparison() {
  const { settings, results } = JSON.parse(readFileSync(RESULTS, "utf8"));
  const { names, steps, batchSize, rate, seeds } = settings;
  const standard = results["nt-xent"].bySeed;
  const percent = (/** @type {number} */ share) => (100 * share).toFixed(1);
  const rows = Object.entries(results)
    .sort(([, a], [, b]) => b.first - a.first)
    .map(([name, { first, bySeed, reciprocal }]) => {
      const gains = bySeed.map(
        (/** @type {number} */ score, /** @type {number} */ seed) => score - standard[seed],
      );
      const range = [Math.min(...gains), Math.max(...gains)].map(
        (gain) => `${gain < 0 ? "−" : "+"}${percent(Math.abs(gain))}`,
      );
      return `| ${name} | ${percent(first)} | ${name === "nt-xent" ? "" : range.join(" to ")} | ${percent(reciprocal)} |`;
    });
  return `## Compared

An untrained bag of n-grams (64 numbers) is trained by each objective on the same names with their aliases
(research organisations, companies, people, places): ${steps} steps, batches of ${batchSize}, learning rate ${rate}, settings at their defaults. Each of ${seeds.length} seeds
draws ${names.toLocaleString("en")} names, and half of them are trained on. For the mentions of the other half: the share whose nearest name is
the right one (ties are misses), the smallest and the largest difference from \`nt-xent\` with the same seed, and the mean
reciprocal rank; all × 100.

| objective | right | beside nt-xent | reciprocal rank |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** @typedef {{ name: string, head: string, settings: Readonly<Record<string, number | readonly string[]>> }} Entry */

const capital = (/** @type {string} */ text) => text[0].toUpperCase() + text.slice(1);

/** The parts of a head: summary, formula, and the paragraphs that begin with a label. */
function partsOf(/** @type {string} */ head) {
  const lines = head.split("\n").map((line) => line.replace(/^ \* ?/, ""));
  const formula = lines.filter((line) => line.startsWith("    ")).map((line) => line.slice(4));
  const text = lines.filter((line) => !line.startsWith("    ")).join("\n");
  const [summary, labelled] = text.split(/\n\n+/);
  const paragraphs = labelled
    .split(/\n(?=(?:Here|Data|Choose it)\b)/)
    .map((part) => part.replaceAll("\n", " "));
  const [source, ...others] = paragraphs;
  const [data, choice] = others.slice(-2);
  const notes = others.slice(0, -2).map((note) => capital(note.replace(/^Here: /, "")));
  return { summary: summary.trim().replaceAll("\n", " "), formula, source, notes, data, choice };
}

/** Breaks a paragraph at 120 characters. */
function wrapped(/** @type {string} */ text) {
  const lines = [""];
  for (const word of text.trim().split(/\s+/)) {
    const line = `${lines[lines.length - 1]} ${word}`.trim();
    if (line.length <= 120) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.join("\n");
}

function settingsText(/** @type {Entry["settings"]} */ settings) {
  const list = Object.entries(settings).map(([name, standard]) =>
    typeof standard === "number"
      ? `\`${name}=${standard}\``
      : standard.map((word) => `\`${name}=${word}\``).join(" or "),
  );
  return list.length === 0 ? [] : [`Settings, with their defaults first: ${list.join(", ")}.`];
}

/** The whole page, with its made parts anew. */
export function objectivesPage(/** @type {readonly Entry[]} */ entries) {
  const rows = entries.map(({ name, head }) => {
    const { data, choice } = partsOf(head);
    const reason = choice.replace(/^Choose it |\.$/g, "");
    return `| ${data.replace(/^Data: |\.$/g, "")} | [\`${name}\`](#${name}) | ${reason} |`;
  });
  const table = ["| your data looks like this | use this | choose it |", "| --- | --- | --- |", ...rows].join(
    "\n",
  );
  const sections = entries.map(({ name, head, settings }) => {
    const { summary, formula, source, notes } = partsOf(head);
    const [opening, ...rest] = [summary, source, ...notes, ...settingsText(settings)].map(wrapped);
    return [
      `## ${name}`,
      opening,
      `\`\`\`text\n${formula.join("\n")}\n\`\`\``,
      `${rest.join("\n\n")}\n`,
    ].join("\n\n");
  });
  const parts = [`${table}\n`, comparison(), sections.join("\n")];
  return readFileSync(PAGE, "utf8").replace(PART, () => parts.shift() ?? "");
}

/** The head of each objective's file, by its name. */
export function readHeads() {
  const folder = fileURLToPath(new URL("../src/objectives", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return new Map(
    files.map((file) => {
      const [, head = ""] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(readFileSync(join(folder, file), "utf8")) ?? [];
      return [basename(file, ".ts"), head];
    }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { objectives } = await import("../dist/objectives/registry.js");
  const heads = readHeads();
  const entries = Object.entries(objectives).map(([name, { settings }]) => ({
    ...{ name, settings },
    head: heads.get(name) ?? "",
  }));
  writeFileSync(PAGE, objectivesPage(entries));
}
