/** The slow tests beside pretrain-characters.test.ts. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { smallCorpus } from "../../training/small-corpus.js";
import { pearl } from "../run-here.js";

const root = mkdtempSync(join(tmpdir(), "pearl-pretrain-cli-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const at = (name: string) => join(root, name);

const words = ["receive", "deceive", "believe", "relieve", "achieve", "retrieve", "sieve", "grieve"];
writeFileSync(at("words.csv"), `word\n${words.join("\n")}\n`);

writeFileSync(at("marks.csv"), "wrong,right\n!!,??\n");

describe("pearl pretrain-characters", () => {
  it("trains on a table of words and writes a model that encode reads", async () => {
    const output = at("spelling");
    const trained = await pearl([
      ...["pretrain-characters", "--words", at("words.csv"), "-o", output, "--kind", "ngrams"],
      ...["--width", "16", "--epochs", "4", "--batch-size", "4", "--device", "cpu", "--threads", "1"],
    ]);
    expect(trained.stderr).toContain("8 words from words.csv; no word vectors: only spelling is learned");
    expect(trained.code).toBe(0);
    expect(trained.stdout).toMatch(/^wrote .*spelling: 8 words, 8 steps, loss \d/);
    const encode = ["encode", at("words.csv"), "--model", output, "-o", at("vectors.npy"), "-q"];
    const encoded = await pearl(encode);
    expect(encoded.code).toBe(0);
    expect(existsSync(at("vectors.npy"))).toBe(true);
  });

  it("makes the LOVE that pearl-small starts from by one command, and --plan names it beside the paper's settings", async () => {
    const environment = { XDG_CACHE_HOME: at("cache") };
    writeFileSync(at("vectors.txt"), words.map((word, i) => `${word} ${i} 1 -1 ${i % 3}\n`).join(""));
    const vectors = ["--vectors", at("vectors.txt"), "--pieces", "0", "--width", "16"];
    const made = await pearl(["pretrain-characters", ...vectors, "--epochs", "1", "-q"], { environment });
    expect(made.code).toBe(0);
    expect(existsSync(join(environment.XDG_CACHE_HOME, "pearl", "love", "config.json"))).toBe(true);
    const base = makeOracleModel("encoder.folded.onnx");
    const corpus = await smallCorpus();
    const plan = ["train", "--corpus", corpus, "--base", base, "--plan", "--device", "cpu"];
    const planned = await pearl(plan, { environment });
    expect(planned.stdout).toMatch(/^model .*, character encoder: pretrained-love, 95 types$/m);
    expect(planned.stdout).toMatch(/^character encoder +pretrained-love +the same$/m);
    expect(planned.stdout).toMatch(/^phrases in a batch +85 \(512 embeddings\) +5 \(30 embeddings\)$/m);
    expect(planned.stdout).toMatch(/^phrases in a batch +5 is the published code's number/m);
    const nameless = await pearl(["pretrain-characters", "--words", at("words.csv")], { environment });
    expect(nameless).toMatchObject({ code: 2, stderr: expect.stringContaining("-o FOLDER") });
  });
});
