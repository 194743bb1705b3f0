/** The whole ablation: trained, scored, resumed, and refused for other settings. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AblateOptions, ablate } from "../../src/methods/ablate.js";
import { writeData } from "../benchmark/small-data.js";
import { pearl } from "../cli/run-cli.js";
import { makeOracleModel } from "../encoder/oracle-model.js";
import { newFolder } from "../setup/new-folder.js";
import { writeTable } from "../training/pairs-folder.js";
import { corpusPhrases, smallCorpus, smallSettings } from "../training/small-corpus.js";

/** In Turney's format: a phrase, its answer, two component words, four others. */
const turney = () =>
  corpusPhrases
    .slice(0, 20)
    .map(({ phrase }, i) => {
      const other = (step: number) => corpusPhrases[(i + step) % 60].phrase;
      return [phrase, `${phrase}s`, "x", "y", other(3), other(7), other(13), other(29)].join(" | ");
    })
    .join("\n");

async function start(): Promise<AblateOptions> {
  return {
    settings: smallSettings,
    corpus: await smallCorpus(),
    folder: join(newFolder(), "ablation"),
    dataFolder: writeData({ "turney/turney.txt": turney() }),
    ...{ steps: 4, tasks: ["turney"], parts: ["types", "characters"] },
  };
}

describe("ablate", () => {
  it("trains and scores the method whole and without each part, and continues where it was stopped", async () => {
    const options = await start();
    const stop = new AbortController();
    const seen: string[] = [];
    const onStep = () => seen.length === 2 && stop.abort();
    const onRun = (name: string, state: string) => void seen.push(`${name} ${state}`);
    await expect(ablate({ ...options, signal: stop.signal, onStep, onRun })).rejects.toHaveProperty(
      "name",
      "AbortError",
    );
    expect(seen).toEqual(["whole begins", "types begins"]);
    expect(existsSync(join(options.folder, "whole.json"))).toBe(true);

    seen.length = 0;
    const report = await ablate({ ...options, onRun });
    expect(seen).toEqual(["whole known", "types begins", "characters begins"]);
    expect(report.runs.map(({ name }) => name)).toEqual(["whole", "types", "characters"]);
    for (const { scores, mean, cost, steps } of report.runs) {
      expect(scores.turney).toBeGreaterThanOrEqual(0);
      expect(mean).toBe(scores.turney);
      expect(cost).toBeCloseTo(report.runs[0].mean - mean);
      expect(steps).toBe(4);
    }
    const record = JSON.parse(readFileSync(join(options.folder, "types", "training.json"), "utf8"));
    expect(record.settings.types).toBe("none");
    expect(record.model.types).toBe(0);

    await expect(ablate({ ...options, steps: 5 })).rejects.toThrow(/results are for other settings/);
    rmSync(options.folder, { recursive: true });
  });

  it("varies a setting on a grid with a training per seed, and trains a point equal to the whole only once", async () => {
    const { parts: _, ...options } = await start();
    const seen: string[] = [];
    const onRun = (name: string, state: string) => void seen.push(`${name} ${state}`);
    const grid = [0.07, 0.5].map((value) => ({ setting: "temperature", value }) as const);
    const report = await ablate({ ...options, grid, seeds: 2, onRun });
    expect(seen).toEqual(
      ["whole", "whole-seed-1", "temperature=0.5", "temperature=0.5-seed-1"].map((name) => `${name} begins`),
    );
    const [whole, same, other] = report.runs;
    expect(same).toMatchObject({ name: "temperature=0.07", cost: 0, mean: whole.mean, against: "whole" });
    expect(other.point).toEqual({ setting: "temperature", value: 0.5 });
    const means = ["", "-seed-1"].map(
      (end) => JSON.parse(readFileSync(join(options.folder, `whole${end}.json`), "utf8")).mean,
    );
    expect(whole.mean).toBeCloseTo((means[0] + means[1]) / 2);
    // two values: the sample's deviation is their distance by √2
    expect(whole.deviation).toBeCloseTo(Math.abs(means[0] - means[1]) / Math.SQRT2);
  });

  it("scores bases as they are and trained", async () => {
    const { parts: _, settings, ...options } = await start();
    const base = makeOracleModel("encoder.folded.onnx");
    const report = await ablate({
      ...options,
      settings: { ...settings, blocks: "as-they-come" },
      bases: [base, "none"],
    });
    const [before, after, scratch] = report.runs;
    expect(before).toMatchObject({ steps: 0, cost: 0 });
    expect(after).toMatchObject({ name: `${before.name}-trained`, against: before.name, steps: 4 });
    expect(after.cost).toBeCloseTo(before.mean - after.mean);
    expect(scratch).toMatchObject({ name: "none-trained", cost: 0, steps: 4 });
  });

  it("refuses a model that was trained with other settings, and scores its own again on other tasks", async () => {
    const options = { ...(await start()), parts: ["types"] as const };
    await ablate(options);
    rmSync(join(options.folder, "whole.json"));
    await expect(ablate({ ...options, steps: 5 })).rejects.toThrow(
      /whole: the model was trained with other settings or on another corpus/,
    );
    const onStep = () => expect.fail("the model is trained already");
    rmSync(join(options.folder, "types.json"));
    const { runs } = await ablate({ ...options, tasks: ["turney", "turney"], onStep });
    expect(runs.map(({ steps }) => steps)).toEqual([4, 4]);
  });

  it.each([
    ["an unknown task", { tasks: ["umsl"] }, /unknown task "umsl"/],
    ["a task without data", { tasks: ["umls"] }, /task umls: .* not found/],
    ["a missing folder", { dataFolder: "/nowhere" }, /data folder \/nowhere: not found/],
  ])("refuses %s before it trains", async (_, wrong, message) => {
    const onRun = () => expect.fail("nothing is trained");
    await expect(ablate({ ...(await start()), ...wrong, onRun })).rejects.toThrow(message);
  });

  it("knows a run after its table of pairs has moved, and not after it has changed", async () => {
    const tableOf = (positive: string) =>
      writeTable(
        [
          ["Lima", positive],
          ["Oslo", "Christiania"],
        ],
        ["text", "positive"],
      );
    const options = { ...(await start()), parts: ["types"] as const };
    await ablate({ ...options, pairs: tableOf("City of Kings") });
    const onStep = () => expect.fail("the runs are known");
    await ablate({ ...options, onStep, pairs: tableOf("City of Kings") });
    await expect(ablate({ ...options, pairs: tableOf("City of Lima") })).rejects.toThrow(
      /results are for other settings/,
    );
  });

  it("refuses to leave out what is off already", async () => {
    const options = await start();
    await expect(ablate({ ...options, parts: ["averaging"] })).rejects.toThrow(/averaging is already off/);
  });

  it("prints a table and writes JSON from the command line", async () => {
    const { corpus, dataFolder } = await start();
    const cwd = newFolder();
    const sizes = ["shape.hidden=16", "shape.layers=1", "shape.vocabulary=260", "anchors=8"];
    const size = ["--preset", "from-scratch", ...sizes.flatMap((set) => ["--set", set])];
    const { code, stdout } = await pearl(
      [
        ...["ablate", "--corpus", corpus, "--data", dataFolder, "--task", "turney", "--parts", "types"],
        ...[...size, "--steps", "2", "-o", "abl", "--json", "abl.json", "--device", "cpu"],
      ],
      { cwd },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/ +turney +mean +cost\nwhole .*\nwithout types .*\n2 steps per run/);
    const { runs } = JSON.parse(readFileSync(join(cwd, "abl.json"), "utf8"));
    expect(runs.map(({ name }: { name: string }) => name)).toEqual(["whole", "types"]);
    const grid = ["--grid", "temperature=0.5", "--seeds", "2", "--plot", "grid.svg", "--steps", "1"];
    const plotted = await pearl(
      [
        "ablate",
        "--corpus",
        corpus,
        "--data",
        dataFolder,
        "--task",
        "turney",
        ...size,
        ...grid,
        "-o",
        "grid",
      ],
      { cwd },
    );
    expect(plotted.stdout).toMatch(
      /\nwhole .* ± .*\ntemperature=0\.5 .* ± .*\n1 step per run, 2 trainings each/,
    );
    expect(readFileSync(join(cwd, "grid.svg"), "utf8")).toContain("temperature");
    const wrong = await pearl(["ablate", "--corpus", corpus, "-o", "x", "--grid", "colour=1"], { cwd });
    expect(wrong).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/cannot vary "colour": use temperature/),
    });
    const odd = await pearl(["ablate", "--corpus", corpus, "-o", "x", "--parts", "magic"], { cwd });
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringMatching(/unknown part "magic": use types/) });
  });
});
