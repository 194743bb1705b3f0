/** What a training would do, measured on a few steps that leave nothing behind. */
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type CorpusFinetuneOptions, planTraining } from "../../src/methods/corpus/corpus-finetune.js";
import { presets } from "../../src/methods/settings/method-settings.js";
import { setEnvironment } from "../setup/environment.js";
import { newFolder } from "../setup/new-folder.js";
import { smallCorpus, smallSettings } from "../training/small-corpus.js";

const start = async (changes: Partial<CorpusFinetuneOptions> = {}): Promise<CorpusFinetuneOptions> => ({
  settings: smallSettings,
  corpus: await smallCorpus(),
  output: join(newFolder(), "model"),
  ...changes,
});

describe("planTraining", () => {
  it("says what a training would take, and leaves nothing behind", async () => {
    const options = await start();
    const temporary = newFolder();
    onTestFinished(setEnvironment({ TMPDIR: temporary }));
    const plan = await planTraining(options);
    expect(readdirSync(temporary)).toEqual([]);
    expect(existsSync(options.output)).toBe(false);
    expect(existsSync(`${options.output}.training`)).toBe(false);
    expect(plan).toMatchObject({
      dimension: 24,
      types: 95,
      corpus: { phrases: 70, typed: 50, withHardNegatives: 30 },
    });
    // 3 epochs of 70 phrases, 12 at a time
    expect(plan.steps).toBe(18);
    expect(plan.seconds).toBeCloseTo(18 * plan.step.seconds);
    expect(plan.step.memory).toBeGreaterThan(5e7);
  });

  it("says that hard negatives would be mined first", async () => {
    const corpus = await smallCorpus({ hardNegatives: "missing" });
    const plan = await planTraining(await start({ corpus }));
    expect(plan.before.join()).toMatch(/mined/);
    expect(readdirSync(corpus)).not.toContain("hard-negatives.tsv");
  });

  it("begins with an untrained LOVE where none is pretrained, and says how to make one", async () => {
    onTestFinished(setEnvironment({ XDG_CACHE_HOME: newFolder() }));
    const notes: string[] = [];
    const settings = { ...smallSettings, characters: { from: "pretrained-love", width: 8 } };
    const plan = await planTraining(await start({ settings, onNote: (line) => notes.push(line) }));
    expect(plan.settings.characters).toMatchObject({ from: "love" });
    expect(notes.join()).toMatch(
      /untrained, since .*love does not exist; pearl pretrain-characters --vectors/,
    );
  });

  it("mines nothing either where the base cannot be fetched and a training from scratch takes its place", async () => {
    const corpus = await smallCorpus({ hardNegatives: "missing" });
    const before = readdirSync(corpus);
    onTestFinished(setEnvironment({ HF_HOME: newFolder(), HF_HUB_OFFLINE: "1" }));
    const settings = presets["pearl-small"];
    const plan = await planTraining(await start({ corpus, settings, otherwise: smallSettings }));
    expect(plan.before.join()).toMatch(/mined/);
    expect(plan.settings).toMatchObject({ base: "none", hardNegatives: 1 });
    expect(readdirSync(corpus)).toEqual(before);
  });

  it("trains nothing else where a base on this machine is missing, or its download is stopped", async () => {
    const planFrom = async (base: string, signal?: AbortSignal) =>
      planTraining(await start({ settings: { ...smallSettings, base }, otherwise: smallSettings, signal }));
    await expect(planFrom("./no/such/model")).rejects.toThrow(/no such folder/);
    const stop = new AbortController();
    const hub = createServer(() => stop.abort()).listen(0);
    await once(hub, "listening");
    const endpoint = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
    onTestFinished(
      setEnvironment({ HF_HOME: newFolder(), HF_ENDPOINT: endpoint, HF_HUB_OFFLINE: undefined }),
    );
    await expect(planFrom("intfloat/e5-small-v2", stop.signal)).rejects.toHaveProperty("name", "AbortError");
    hub.closeAllConnections();
    hub.close();
  });
});
