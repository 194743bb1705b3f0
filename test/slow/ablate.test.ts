/** The whole ablation: trained, scored, resumed, and refused for other settings. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AblateOptions, ablate } from "../../src/methods/ablate.js";
import { writeData } from "../benchmark/small-data.js";
import { pearl } from "../cli/run-cli.js";
import { newFolder } from "../training/pairs-folder.js";
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

    await expect(ablate({ ...options, seed: 9 })).rejects.toThrow(/results are for other settings/);
    rmSync(options.folder, { recursive: true });
  });

  it("refuses to leave out what is off already", async () => {
    const options = await start();
    await expect(ablate({ ...options, parts: ["averaging"] })).rejects.toThrow(/averaging is already off/);
  });

  it("prints a table and writes JSON from the command line", async () => {
    const { corpus, dataFolder } = await start();
    const cwd = newFolder();
    const size = [
      "--preset",
      "from-scratch",
      "--hidden",
      "16",
      "--layers",
      "1",
      "--vocab",
      "260",
      "--anchors",
      "8",
    ];
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
    const odd = await pearl(["ablate", "--corpus", corpus, "-o", "x", "--parts", "magic"], { cwd });
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringMatching(/unknown part "magic": use types/) });
  });
});
