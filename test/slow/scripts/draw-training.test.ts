/** Pictures of trainings show the numbers of their input, with signs, and are self-contained. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AblationReport, AblationRun } from "../../../src/methods/ablate.js";
import { partLossNames, wordEncoderLossNames } from "../../../src/methods/corpus/corpus-terms.js";
import { removableParts } from "../../../src/methods/settings/choices.js";
import { lossNames } from "../../../src/pearl/loss/program.js";
import { dark, light } from "../../../src/plot/theme.js";
import { runNode } from "../../cli/run-cli.js";
import { testFolder } from "../../table/folder.js";

const { path: folder } = testFolder();
const draw = (...parameters: string[]) => runNode([join("scripts", "draw-training.mjs"), ...parameters]);

function write(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** The texts of a picture, in document order. */
const wordsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, words]) => words);

/** Draws a picture and returns it; it must not refer to other resources. */
async function picture(command: string, content: unknown): Promise<string> {
  const target = join(folder, `${command}.svg`);
  const run = await draw(command, write(`${command}.json`, content), "-o", target);
  expect(run.stderr).toBe("");
  expect(run.code).toBe(0);
  const svg = readFileSync(target, "utf8");
  expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
    /https?:|href|<script|url\(|NaN|undefined/,
  );
  return svg;
}

type Scored = Pick<AblationRun, "name" | "scores" | "mean" | "cost">;

const runs: Scored[] = [
  { name: "types", scores: { autofj: 0.709, turney: 0.436, bird: -0.01 }, mean: 0.3783, cost: 0.0217 },
  { name: "whole", scores: { autofj: 0.7, turney: 0.5, bird: 0 }, mean: 0.4, cost: 0 },
  { name: "a<b>&", scores: { autofj: 0.70004, turney: 0.512 }, mean: 0.606, cost: -0.206 },
  { name: "characters", scores: { autofj: 0.3, turney: 0.5, bird: 0.001 }, mean: 0.267, cost: 0.133 },
];
const ablation = {
  corpus: { fingerprint: "f" },
  seed: 7,
  seeds: 1,
  steps: 1500,
  settings: {},
  runs,
} satisfies Record<keyof AblationReport, unknown>;

describe("the picture of an ablation", () => {
  it("lists the whole method first, then the parts by falling cost, with signed differences", async () => {
    const words = wordsOf(await picture("ablation", ablation));
    expect(words[0]).toBe("Ablation: 1,500 steps each, seed 7, protocol “fair”, half of each set");
    expect(words.slice(3, 8)).toEqual(["AutoFJ", "Turney", "BIRD", "mean", "cost"]);
    const rows = [
      ["the whole method", "70.0", "50.0", "0.0", "40.0"],
      ["without character encoder", "30.0", "−40.0", "50.0", "±0.0", "0.1", "+0.1", "26.7", "+13.3"],
      ["without phrase types", "70.9", "+0.9", "43.6", "−6.4", "−1.0", "−1.0", "37.8", "+2.2"],
      // a missing score has no difference
      ["without a&lt;b&gt;&amp;", "70.0", "±0.0", "51.2", "+1.2", "–", "60.6", "−20.6"],
    ];
    expect(words.slice(8, 8 + rows.flat().length)).toEqual(rows.flat());
  });

  it("colours lower and higher scores differently, with readable text in light and dark mode", async () => {
    const svg = await picture("ablation", ablation);
    const fillOf = (words: string) =>
      new RegExp(`[";]fill:var\\(--(\\w+)\\)"[^>]*/>(?:<text[^>]*>[^<]*</text>)?<text[^>]*>${words}<`).exec(
        svg,
      )?.[1];
    expect(["−40.0", "−6.4", "\\+0.9", "\\+1.2", "±0.0"].map(fillOf)).toEqual([
      "c1",
      "c1",
      "c0",
      "c0",
      "panel",
    ]);
    // a positive cost has the colour of lower scores
    expect(["\\+13.3", "−20.6"].map(fillOf)).toEqual(["c1", "c0"]);
    const strongest = Math.max(
      ...[...svg.matchAll(/fill-opacity="([\d.]+)"/g)].map(([, value]) => Number(value)),
    );
    expect(strongest).toBeGreaterThan(0.3);
    for (const { background, ink, categories } of [light, dark])
      for (const colour of categories.slice(0, 2))
        expect(contrast(luminance(ink), luminance(colour, background, strongest))).toBeGreaterThan(4.5);
  });

  it("is the same from a record that contains the report", async () => {
    expect(await picture("ablation", { minutes: 30, ablation })).toBe(await picture("ablation", ablation));
  });

  it("has a display name for every removable part", async () => {
    const parts = removableParts.map((name) => ({ name, scores: { bird: 0.5 }, mean: 0.5, cost: 0 }));
    const words = wordsOf(await picture("ablation", { ...ablation, runs: [...runs, ...parts] }));
    for (const name of removableParts.filter((part) => part.includes("-")))
      expect(words).not.toContain(`without ${name}`);
  });
});

const metrics = [1, 2, 3].map((step) => ({ step, loss: 8 - step, parts: {} }));

describe("the picture of a learning curve", () => {
  it("has one panel for each loss of a stage", async () => {
    const words = wordsOf(
      await picture("learning-curve", {
        name: "a<b>",
        stages: [
          { name: "pretrain", loss: "context_loss", metrics },
          {
            name: "finetune",
            metrics: [
              { step: 10, loss: 9, parts: { nt_xent: 4, type_loss: 5 } },
              { step: 20, loss: null, parts: { nt_xent: 3.5, type_loss: null } },
              { step: 30, loss: 6, parts: { nt_xent: 3, nt_xent_prefix: 2 } },
            ],
          },
        ],
        scores: [
          { stage: "finetune", step: 30, tasks: { autofj: 0.712, bird: 0.5 } },
          { stage: "finetune", step: 10, tasks: { autofj: 0.654, "new&task": 0.3 } },
        ],
      }),
    );
    expect(words[0]).toBe("Learning curve of a&lt;b&gt;");
    const shown = words.filter((word) => /[a-z]/i.test(word) || word.includes("→")).slice(3);
    expect(shown).toEqual([
      ...["Pretraining, 3 steps", "phrases in their context", "7.00 → 5.00"],
      ...["Fine-tuning, 30 steps", "whole loss", "9.00 → 6.00", "pairs, whole embedding", "4.00 → 3.00"],
      ...["phrase types", "pairs, short embedding", "scores"],
      // the last score of each task
      ...["AutoFJ 71.2", "new&amp;task 30.0", "BIRD 50.0"],
    ]);
  });

  it("falls when the loss falls", async () => {
    const svg = await picture("learning-curve", {
      name: "m",
      stages: [{ name: "pretrain", metrics }],
      scores: [],
    });
    const [, path] =
      /<path d="(M[^"]*L[^"]*)" fill="none" stroke-width="2"[^>]*;stroke:var\(--c0\)"/.exec(svg) ?? [];
    const points = path
      .split(/[ML]/)
      .slice(1)
      .map((point) => point.split(" ").map(Number));
    expect(points).toHaveLength(3);
    // the steps and the losses are evenly spaced; y grows downwards
    expect(points[1][0] - points[0][0]).toBeCloseTo(points[2][0] - points[1][0], 0);
    expect(points[1][1] - points[0][1]).toBeGreaterThan(5);
    expect(points[1][1] - points[0][1]).toBeCloseTo(points[2][1] - points[1][1], 0);
  });

  it("has a display name for every loss of a training", async () => {
    const names: string[] = [
      ...Object.values(lossNames),
      ...Object.values(partLossNames),
      ...Object.values(wordEncoderLossNames),
      "context_loss",
    ];
    const parts = Object.fromEntries(names.map((name) => [name, 1]));
    const svg = await picture("learning-curve", {
      name: "m",
      stages: [{ name: "finetune", metrics: [{ step: 1, loss: 9, parts }] }],
    });
    for (const name of names) expect(svg).not.toContain(name);
    expect(svg).toContain("pairs, short embedding");
  });
});

describe("record", () => {
  const lines = Array.from({ length: 650 }, (_, index) => ({
    step: index + 1,
    loss: index + 1,
    parts: { nt_xent: 2 },
  }));

  it("averages metrics, keeps evaluations and ignores an incomplete last line", async () => {
    const pretrained = write(
      "pretrained.jsonl",
      `${metrics.map((entry) => JSON.stringify(entry)).join("\n")}\n`,
    );
    const rows = [...lines, { step: 650, score: 0.8, seconds: 1 }].map(
      (entry) => `${JSON.stringify(entry)}\n`,
    );
    const tuned = write("tuned.jsonl", `${rows.join("")}{"step":651,"lo`);
    const bench = write("bench.json", {
      results: [
        { task: "autofj", dataset: "Drug", metric: "accuracy", score: 0.1 },
        { task: "autofj", dataset: "macro mean of 30 sets", metric: "accuracy", score: 0.7 },
      ],
    });
    const target = join(folder, "curve.json");
    const run = await draw("record", pretrained, tuned, "-o", target, "--scores", `pretrain:3=${bench}`);
    expect(run.stderr).toBe("");
    const curve = JSON.parse(readFileSync(target, "utf8"));
    expect(curve.name).toBe("pearl-mini");
    const [first, second] = curve.stages;
    expect(first).toEqual({ name: "pretrain", stepsPerPoint: 1, metrics });
    // 650 steps in groups of three: 217 points, the last of two steps
    expect(second.metrics).toHaveLength(217);
    expect(second.metrics[0]).toEqual({ step: 3, loss: 2, parts: { nt_xent: 2 } });
    expect(second.metrics.at(-1)).toEqual({ step: 650, loss: 649.5, parts: { nt_xent: 2 } });
    expect(curve.scores).toEqual([
      { stage: "finetune", step: 650, tasks: { evaluation: 0.8 } },
      { stage: "pretrain", step: 3, tasks: { autofj: 0.7 } },
    ]);
    expect(wordsOf(await picture("learning-curve", curve))).toContain("a point is the mean of 3 steps");
  });

  it("recognises pretraining by the training.json next to its metrics", async () => {
    const lone = write("metrics.jsonl", `${JSON.stringify(metrics[0])}\n`);
    write("training.json", { sizes: { vocabulary: 60_000 } });
    const target = join(folder, "pretraining.json");
    expect((await draw("record", lone, "-o", target)).code).toBe(0);
    expect(JSON.parse(readFileSync(target, "utf8")).stages[0].loss).toBe("context_loss");
  });
});

describe("invalid input", () => {
  const bad = () => write("bad.jsonl", '{"step":1,"loss":2,"parts":{}}\n{"step":2,\n{"step":3}\n');
  const wrongLoss = { name: "m", stages: [{ name: "pretrain", metrics: [{ step: 1, loss: "2" }] }] };
  const claims: [string, () => string[], number, string][] = [
    ["a missing file", () => ["ablation", join(folder, "none.json")], 1, "none.json does not exist"],
    ["a file without JSON", () => ["ablation", bad()], 1, "bad.jsonl: not valid JSON"],
    ["no metrics", () => ["record", join(folder, "none.jsonl"), "-o", "x.json"], 1, "none.jsonl"],
    [
      "a bad line",
      () => ["record", bad(), "-o", join(folder, "x.json")],
      1,
      "bad.jsonl, line 2: not valid JSON",
    ],
    [
      "no run of the whole method",
      () => ["ablation", write("part.json", { ...ablation, runs: [runs[0]] })],
      1,
      'no run is named "whole"',
    ],
    [
      "a loss that is not a number",
      () => ["learning-curve", write("loss.json", wrongLoss)],
      1,
      'loss.json: field "stages.0.metrics.0.loss": Invalid type: Expected number but received "2"',
    ],
    ["an unknown command", () => ["paint", "x.json"], 2, "usage: draw-training.mjs"],
    ["no output file", () => ["record", bad()], 2, "record needs -o"],
  ];
  it.each(claims)("is reported without a stack trace: %s", async (_, parameters, code, message) => {
    const run = await draw(...parameters());
    expect(run.stderr).toContain(message);
    expect(run.stderr).not.toContain("    at ");
    expect(run.code).toBe(code);
  });
});

/** Relative luminance (WCAG 2.1) of a colour on a background. */
function luminance(colour: string, ground = colour, opacity = 1): number {
  const channel = (hex: string, start: number) => Number.parseInt(hex.slice(start, start + 2), 16) / 255;
  const [red, green, blue] = [1, 3, 5]
    .map((start) => opacity * channel(colour, start) + (1 - opacity) * channel(ground, start))
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
