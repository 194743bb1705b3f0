/** Stages of a long build. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { testFolder } from "../table/folder.js";

const script = new URL("../../scripts/stages.mjs", import.meta.url).href;
type Once = (
  name: string,
  settings: unknown,
  work: () => Promise<unknown>,
  options?: { restart?: boolean },
) => Promise<void>;
const { openStages } = (await import(script)) as { openStages: (folder: string) => { once: Once } };
const { path } = testFolder();

let count = 0;
let folder: string;
beforeEach(() => {
  folder = join(path, `work${count++}`);
  mkdirSync(folder);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

const recorded = (name: string) => JSON.parse(readFileSync(join(folder, "build.json"), "utf8")).stages[name];
/** Opens the record again, as another run of the program does. */
const once: Once = (...parameters) => openStages(folder).once(...parameters);

describe("a stage", () => {
  it("runs once, even if the program is started again", async () => {
    const work = vi.fn(async () => {});
    await once("reading", { steps: 3 }, work);
    await once("reading", { steps: 3 }, work);
    expect(work).toHaveBeenCalledTimes(1);
    expect(recorded("reading")).toMatchObject({ sittings: 1, finished: true });
  });

  it("runs again after an interruption, and every run is counted", async () => {
    const cut = async () => {
      throw new Error("killed");
    };
    await expect(once("reading", {}, cut)).rejects.toThrow("killed");
    expect(recorded("reading")).toMatchObject({ sittings: 1, finished: false });
    await once("reading", {}, async () => {});
    expect(recorded("reading")).toMatchObject({ sittings: 2, finished: true });
  });

  it("is rejected if its settings have changed, unless it may restart", async () => {
    const work = vi.fn(async () => {});
    await once("finish", { share: 1 }, work);
    await expect(once("finish", { share: 2 }, work)).rejects.toThrow(/other settings.*--work/);
    expect(work).toHaveBeenCalledTimes(1);
    await once("finish", { share: 2 }, work, { restart: true });
    expect(work).toHaveBeenCalledTimes(2);
    expect(recorded("finish").sittings).toBe(1);
    await once("finish", { share: 2 }, work, { restart: true });
    expect(work).toHaveBeenCalledTimes(2);
  });
});
