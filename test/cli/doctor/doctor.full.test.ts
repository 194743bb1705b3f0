/** `pearl doctor` reports what works, survives crashes, and prints no secrets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Diagnosis, describe as page } from "../../../src/cli/doctor/doctor.js";
import { pearl } from "../run-cli.js";

let folder: string;
let diagnosis: Diagnosis;
let code: number | null;
let text: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pearl-doctor-test-"));
  // A part that the checkout surely has crashes when it is tried.
  const crashing = join(folder, "crash.cjs");
  writeFileSync(crashing, 'if (process.argv[2] === "pg") process.kill(process.pid, "SIGSEGV");');
  const transformers = join(folder, "node_modules", "@huggingface", "transformers");
  mkdirSync(transformers, { recursive: true });
  const manifest = { name: "@huggingface/transformers", version: "0.0.2", main: "index.cjs" };
  writeFileSync(join(transformers, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(transformers, "index.cjs"), "exports.pipeline = () => {};");
  const environment = {
    HF_HOME: join(folder, "hf"),
    HF_TOKEN: "hf_very_secret",
    HF_HUB_OFFLINE: "1",
    NODE_OPTIONS: `--require ${crashing}`,
  };
  const outcome = await pearl(["doctor", "--json"], { cwd: folder, environment });
  code = outcome.code;
  text = outcome.stdout + outcome.stderr;
  diagnosis = JSON.parse(outcome.stdout) as Diagnosis;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("pearl doctor", () => {
  it("finds the embedded model, the table engine and the CPU working, and exits with 0", () => {
    expect(code).toBe(0);
    expect(diagnosis.works).toBe(true);
    expect(diagnosis.core.map(({ works }) => works)).toEqual([true, true]);
    expect(diagnosis.devices.find(({ name }) => name === "cpu")?.works).toBe(true);
  });

  it("gives a reason for each device that does not work", () => {
    expect(diagnosis.devices.map(({ name }) => name).sort()).toEqual(["cpu", "cuda", "webgpu"]);
    for (const { works, detail } of diagnosis.devices) expect(works || detail.length > 10).toBe(true);
  });

  it("survives a native part that crashes, and says how to reinstall it", () => {
    const crashed = diagnosis.parts.find(({ name }) => name === "pg");
    expect(crashed).toMatchObject({ works: false, version: expect.any(String) });
    expect(crashed?.detail).toContain("crashed with SIGSEGV");
    expect(crashed?.install).toContain("npm install");
  });

  it("tries each installed optional part", () => {
    for (const { name, detail } of diagnosis.parts) expect(detail, name).not.toContain("there is no probe");
    const transformers = diagnosis.parts.find(({ name }) => name === "@huggingface/transformers");
    expect(transformers).toMatchObject({ works: true });
  });

  it("names the cache and where the token comes from, never the token", () => {
    expect(diagnosis.hub).toMatchObject({
      cacheFolder: join(folder, "hf", "hub"),
      offline: true,
      tokenSource: "HF_TOKEN",
    });
    expect(text).not.toContain("hf_very_secret");
  });

  it("says that a part took too long, and not to install it again", () => {
    const slow = { works: false, detail: "no answer within 30 s", tookTooLong: true } as const;
    const core = diagnosis.core.map((one) => ({ ...one, ...slow }));
    const parts = diagnosis.parts.map((part) => ({ ...part, ...slow }));
    const text = page({ ...diagnosis, works: false, core, parts });
    expect(text).toContain("embedded model: took too long (no answer within 30 s)");
    expect(text).toContain("Try again when this machine is less busy: pearl doctor");
    expect(text).not.toContain("install:");
  });

  it("exits with 1 and still reports the rest if the embedded model does not work", async () => {
    const failing = join(folder, "fail.cjs");
    writeFileSync(failing, 'if (process.argv[2] === "model") process.exit(3);');
    const environment = { NODE_OPTIONS: `--require ${failing}`, HF_TOKEN: "hf_very_secret" };
    const outcome = await pearl(["doctor"], { environment });
    expect(outcome.code).toBe(1);
    expect(outcome.stdout).toContain("embedded model: does not work (it ended with code 3)");
    expect(outcome.stdout).toContain("cpu: works");
    expect(outcome.stdout).toContain("token from HF_TOKEN");
    expect(outcome.stdout).not.toContain("hf_very_secret");
  });
});
