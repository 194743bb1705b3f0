/** The embedded transformer: its size, what it finds, its types, that a batch changes nothing, and that it can be trained further. */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { embeddedModels } from "../../src/hub/locate.js";
import { finetune } from "../../src/methods/pairs/finetune.js";
import { newFolder } from "../setup/new-folder.js";
import { somePairs } from "../training/pairs-folder.js";

const folder = "models/pearl-small";

it("is embedded, and under 30 MiB with its card and record", async () => {
  expect(await embeddedModels()).toContain("pearl-small");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes).toBeLessThan(30 * 2 ** 20);
});

it("finds what is meant, and gives a phrase the same vector in every batch", async () => {
  const encoder = await PhraseEncoder.load("pearl-small", { threads: 1 });
  const meant = ["The New York Times", "myocardial infarction", "Federal Bureau of Investigation", "Munich"];
  const written = ["NY Times newspaper", "heart attack", "FBI", "München"];
  const scores = await encoder.similarity(written, meant);
  expect(scores.map((row) => meant[row.indexOf(Math.max(...row))])).toEqual(meant);
  const [alone] = await encoder.encode(["heart attack"], { batchSize: 1 });
  const [beside] = await encoder.encode(["heart attack", "a much longer phrase about something else"]);
  expect(Math.hypot(...alone)).toBeCloseTo(1, 5);
  for (const [i, value] of alone.entries()) expect(beside[i]).toBeCloseTo(value, 5);
  const names = ["Angela Merkel", "Berlin", "aspirin"];
  const types = (await encoder.types(names, { top: 1 })).map(([{ type }]) => type);
  expect(types).toEqual(["NP-PERSON", "NP-GPE", "NP-OTHER"]);
  await encoder.dispose();
});

it("is trained further, and is then a model of the same dimensions", async () => {
  const pairs = join(newFolder(), "pairs.tsv");
  const rows = somePairs(40).map(([text, positive]) => `${text}\t${positive}`);
  writeFileSync(pairs, ["text\tpositive", ...rows].join("\n"));
  const output = join(newFolder(), "tuned");
  const { result } = await finetune({ base: "pearl-small", pairs, output, steps: 3, validate: 0 });
  expect(result.steps).toBe(3);
  const encoder = await PhraseEncoder.load(output, { threads: 1 });
  const before = await PhraseEncoder.load("pearl-small", { threads: 1 });
  expect(encoder.dimension).toBe(before.dimension);
  const [[tuned], [own]] = await Promise.all(
    [encoder, before].map((model) => model.encode(["heart attack"])),
  );
  const cosine = tuned.reduce((sum, value, i) => sum + value * own[i], 0);
  expect(cosine).toBeGreaterThan(0.9);
  expect(cosine).toBeLessThan(0.999999);
  await Promise.all([encoder.dispose(), before.dispose()]);
});
