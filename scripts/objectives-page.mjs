/**
 * Makes docs/objectives.md of the heads of the files in src/objectives, a file each, and their settings.
 *
 *     npm run build && node scripts/objectives-page.mjs
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const INTRODUCTION = `# Objectives

<!-- Made by scripts/objectives-page.mjs from the heads of the files in src/objectives: edit those, then run it. -->

An objective is the loss of a training on pairs. \`pearl finetune --objective NAME\` chooses it. The default is
[\`nt-xent\`](#nt-xent), and with \`--teacher\` it is [\`distill\`](#distill).

\`\`\`sh
npx pearl finetune --pairs data/pairs.csv --objective info-nce --set objectiveSettings.directions=both --steps 2 -o both-ways
npx pearl finetune --pairs data/labels.csv --objective sup-con --steps 2 -o by-labels
npx pearl finetune --pairs data/scores.csv --objective regression --steps 2 -o by-scores
npx pearl finetune --pairs data/scores.csv --objective cosent --steps 2 -o by-order
npx pearl finetune --pairs data/phrases.txt --view cutoff --steps 2 -o by-views
npx pearl finetune --pairs data/phrases.txt --teacher by-labels --steps 2 -o by-teacher
\`\`\`

A table of pairs has the columns \`text\` and \`positive\`, and optionally \`negative\` (a phrase that looks alike and means
something else), \`type\`, \`label\` (the class of text and positive) and \`score\` (how similar they are). If the table has two
columns of other names, or no header, its first two columns are text and positive. Phrases alone need a view or a
[teacher](train.md#from-a-larger-model).

- Positives: an objective that reads labels needs no column of them. The positive of a text is then the next text of its label,
  or the text itself if it is the only one.
- Negatives: equal phrases, phrases that pairs connect (also through other pairs) and phrases of one label are never
  negatives of each other, whatever the objective.
- Classes: phrases that pairs without a label connect are one class. If one of them has a label in another row, they all belong
  to its class. A phrase with two labels belongs to both.
- Scores from 0 to 1 are used as they are. If some lie outside, the table's smallest becomes 0 and its largest 1.
`;

const VIEWS = `## Views: phrases alone

With \`--view\`, the positive of a phrase is a second view of it, and a table of one column is enough. With a table of pairs, the
view is made of the positive.

| view | the second view | on pearl-mini |
| --- | --- | --- |
| \`cutoff\` | the phrase without one of its words | changes all parts of the vector; a phrase of one word stays as it is |
| \`dropout\` | the phrase with other dropout masks (0.1 unless \`--set dropout\` changes it) | changes meaning, types and gates; the 192 columns of spelling have no dropout |
| \`mixup\` | its vector with up to half of another positive's mixed in | changes all parts; on a single phrase it only moves the vector |
| \`punctuation\` | dropout's, and beside it the phrase with 1 to 3 of . , ! ? ; : inside, whose loss counts 0.6 (\`--set punctuation.weight=0.6\`), in batches of 32 by AdamW with a weight decay of 0.01 (EdaCSE) | as \`dropout\`, and words beside marks; \`punctuation.least\` and \`punctuation.most\` set how many, \`punctuation.marks=calm\` leaves out ! and ? |

For pearl-mini, and for names in general, \`cutoff\` is the view to begin with: it is the only one that changes what the
model reads. With \`--objective info-nce --set temperature=0.05 --view dropout\` the loss is that of unsupervised SimCSE (tested
against its authors' formula). \`pearl train\` makes augmented twins of phrases instead, which imitate how people write
([train](train.md)).

\`punctuation\` did not help pearl-mini: after 20 steps on 5,784 sentences without pairs (batches of 128, learning rate 2e-4,
one seed), Spearman's rho × 100 with 4,607 graded short pairs is 73.3 for every weight of 0, 0.1, 0.15, 0.3 and 1, and for 1,
1–3 and 1–5 marks; before the training it is 73.8 (\`pearl bench --task sts\`). No other base was measured. With
the scores themselves, \`--objective regression\` takes the test split, which is not trained on, from 70.9 to 72.8 in as many steps.
`;

const LIMITS = `## What is left out, and why

A memory bank or a queue (MoCo) keeps vectors of earlier batches as negatives, since a large batch does not fit into
memory. These vectors are stale. pearl cuts a batch into chunks instead and caches their gradients (Gao et al., 2021): a
batch of any size has its exact gradient in bounded memory, so there is nothing for a bank to approximate. Raise
\`--batch-size\`.

Losses and gradients of all objectives equal those of an independent PyTorch implementation in float64 to 1e-5
(\`test/oracles/objectives.py\`, \`test/oracles/teacher.py\`).

From code, \`objectiveLoss(net, rows, { name, settings })\` of \`pearl-embeddings/train\` adds an objective to a graph of your
own.
`;

const RESULTS = new URL("../benchmarks/results/objectives.json", import.meta.url);

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

Five objectives were ahead of \`nt-xent\` with every seed, by less than a point; \`contrastive\`, \`gaussian\` and \`n-pair\`
ended below the untrained model. That is one table and one small model, with no setting tuned. \`pearl finetune\` and
\`pearl bench\` show what holds for your pairs; \`benchmarks/objectives.mjs --pairs FILE\` makes this table for them.
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

/** The whole page. */
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
  return [INTRODUCTION, `${table}\n`, comparison(), VIEWS, LIMITS, ...sections].join("\n");
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
  writeFileSync(new URL("../docs/objectives.md", import.meta.url), objectivesPage(entries));
}
