/** `pearl import` and `pearl export` in the command line: from a hub or folder, back, and what is refused. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixtureModel, largestError } from "../../encoder/fixture-models.js";
import { type HubServer, startHubServer } from "../../encoder/hub-server.js";
import { newFolder } from "../../setup/new-folder.js";
import { pearl } from "../run-here.js";

let folder: string;
let server: HubServer;
beforeAll(async () => {
  folder = newFolder();
  const { folder: source } = fixtureModel("roberta");
  const files = readdirSync(source).map((name) => [name, readFileSync(join(source, name))] as const);
  server = await startHubServer({
    "someone/roberta": { commit: "b".repeat(40), files: Object.fromEntries(files) },
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...parameters: string[]) =>
  pearl(parameters, {
    cwd: folder,
    environment: { HF_HOME: join(folder, "cache"), HF_ENDPOINT: server.endpoint },
  });

async function vectorsOf(model: string, phrases: readonly string[]): Promise<number[][]> {
  writeFileSync(join(folder, "in.csv"), `phrase\n${phrases.map((phrase) => `"${phrase}"`).join("\n")}\n`);
  const outcome = await run("encode", "in.csv", "-o", "out.jsonl", "-m", model, "--no-normalize", "-q");
  expect(outcome.code, outcome.stderr).toBe(0);
  const lines = readFileSync(join(folder, "out.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { embedding: number[] }).embedding);
}

describe("pearl import and pearl export", () => {
  const { expected } = fixtureModel("roberta");

  it("brings a hub model here, and takes it out again with the same vectors", async () => {
    const imported = await run("import", "someone/roberta", "-o", "here");
    expect(imported).toMatchObject({ code: 0, stdout: "wrote here: use it with --model here\n" });
    expect(imported.stderr).toMatch(
      /^someone\/roberta: roberta, 2 layers, 16 dimensions, [\d,]+ parameters, /m,
    );
    expect(imported.stderr).toMatch(/^licence: none stated/m);
    expect(largestError(await vectorsOf("here", expected.phrases), expected.pooled)).toBeLessThan(1e-5);

    const exported = await run("export", "here", "-o", "there");
    expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining("wrote there: ") });
    expect(exported.stderr).toMatch(/here: roberta, 2 layers, .*; pooling mean, vectors of length 1/);
    expect(largestError(await vectorsOf("there", expected.phrases), expected.pooled)).toBeLessThan(1e-5);
  });

  it("says nothing but the result with --quiet", async () => {
    const outcome = await run("import", fixtureModel("bert").folder, "-o", "quiet", "-q");
    expect(outcome).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^wrote quiet/) });
  });

  it.each<[string, string, number, RegExp]>([
    ["no output", "import x", 2, /required option '-o, --output <folder>'/],
    ["a mistyped command", "improt x", 2, /Did you mean import\?/],
    ["a mistyped option", "export x -o y --normalise", 2, /Did you mean --no-?rmalize|--normalize\?/],
    ["an unknown format", "export x -o y --format gguf", 2, /Allowed choices are safetensors/],
    ["no such model", "import perl-strings -o y", 1, /no such folder.*did you mean pearl-strings/],
    ["an output that is there", "import someone/roberta -o taken", 1, /taken is not empty: remove it/],
    ["no transformer", "export pearl-strings -o y", 1, /the model is not a transformer alone/],
    ["no such repository", "import someone/nothing -o y", 1, /someone\/nothing: not found/],
  ])("refuses %s in clear words, and leaves nothing behind", async (_, words, code, message) => {
    mkdirSync(join(folder, "taken", "mine"), { recursive: true });
    const outcome = await run(...words.split(" "));
    expect(outcome).toMatchObject({ code, stdout: "" });
    expect(outcome.stderr).toMatch(message);
    expect(readdirSync(folder).filter((name) => name === "y" || name.includes("partial"))).toEqual([]);
    expect(readdirSync(join(folder, "taken"))).toEqual(["mine"]);
  });
});
