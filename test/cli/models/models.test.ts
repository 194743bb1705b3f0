/** `pearl models` lists what is on this machine with what its card says. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelSummary } from "../../../src/hub/inventory.js";
import { pearl } from "../run-here.js";

let home: string;
const commit = "1234567890123456789012345678901234567890";
const card = `---
license: mit
model-index:
- name: small
  results:
  - task:
      type: x
    dataset:
      name: STS
    metrics:
    - type: spearman
      value: 81.25
---
# small
`;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "pearl-models-"));
  const repository = join(home, "hub", "models--someone--small");
  const snapshot = join(repository, "snapshots", commit);
  mkdirSync(join(snapshot, "onnx"), { recursive: true });
  mkdirSync(join(repository, "refs"));
  mkdirSync(join(repository, "blobs"));
  writeFileSync(join(repository, "refs", "main"), commit);
  writeFileSync(join(repository, "blobs", "abc"), Buffer.alloc(5000));
  symlinkSync(join("..", "..", "..", "blobs", "abc"), join(snapshot, "onnx", "model.onnx"));
  writeFileSync(join(snapshot, "config.json"), '{"model_type":"bert","hidden_size":384}');
  writeFileSync(join(snapshot, "README.md"), card);
  // A repository without a graph is not a model of pearl.
  mkdirSync(join(home, "hub", "models--someone--torch-only", "snapshots", commit), { recursive: true });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const list = async (...parameters: string[]) => {
  const outcome = await pearl(["models", ...parameters], { environment: { HF_HOME: home } });
  return { ...outcome, models: () => (JSON.parse(outcome.stdout) as { models: ModelSummary[] }).models };
};

describe("pearl models", () => {
  it("marks the embedded default, and lists the cache's models with card, size and dimension", async () => {
    const { code, models } = await list("--json");
    expect(code).toBe(0);
    const found = models();
    expect(found.filter(({ isDefault }) => isDefault).map(({ where }) => where)).toEqual(["embedded"]);
    const cached = found.filter(({ where }) => where === "cache");
    expect(cached).toHaveLength(1);
    expect(cached[0]).toMatchObject({
      model: "someone/small",
      commit,
      revisions: ["main"],
      dimension: 384,
      licence: "mit",
      graphs: ["onnx/model.onnx"],
      scores: [{ task: "x", dataset: "STS", metric: "spearman", value: 81.25 }],
    });
    expect(cached[0].sizeBytes).toBe(5000 + 39 + Buffer.byteLength(card));
  });

  it("prints a table for people", async () => {
    const { stdout } = await list();
    expect(stdout).toMatch(/^MODEL +DIM +SIZE +LICENCE +GRAPHS +WHERE$/m);
    expect(stdout).toMatch(/^someone\/small +384 +\d\.\d kB +mit +model +cache 12345678$/m);
    expect(stdout).toContain("scores: STS spearman 81.25");
  });

  it("looks at a folder that is named", async () => {
    const folder = join(home, "copy");
    cpSync(join(home, "hub", "models--someone--small", "snapshots", commit), folder, {
      recursive: true,
      dereference: true,
    });
    const { models } = await list("--json", folder);
    expect(models().find(({ where }) => where === "folder")).toMatchObject({ path: folder, dimension: 384 });
  });

  it("says why a folder is no model, and ends with code 1", async () => {
    const { code, stderr } = await list(join(home, "hub"));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^pearl: .*config\.json is missing[^\n]*\n$/);
  });
});

describe("pearl models check --accept", () => {
  it("names a file that it cannot read, and accepts it once it is corrected", async () => {
    const folder = join(home, "edited");
    cpSync("models/pearl-strings", folder, { recursive: true });
    const config = join(folder, "config.json");
    const whole = readFileSync(config, "utf8");
    const accept = () => pearl(["models", "check", folder, "--accept"]);
    writeFileSync(config, whole.replace(/\}\s*$/, ",}"));
    const { code, stderr } = await accept();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^pearl: \S+config\.json is not valid JSON \([^\n]+\)\. Correct it first\.\n$/);
    writeFileSync(config, whole.replace(/\}\s*$/, ', "own": 1}'));
    expect(await accept()).toMatchObject({ code: 0 });
  });
});
