/**
 * Trains a model with a custom architecture on pairs, and encodes with it.
 * Run: node examples/own-architecture.mjs
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModel, finetune, PhraseEncoder, registerArchitecture } from "pearl-embeddings";

const pairs = [
  ["physician", "medical doctor"],
  ["attorney", "lawyer at law"],
  ["automobile", "motor car"],
  ["purchase", "buy goods"],
  ["residence", "private home"],
  ["infant", "little baby"],
];

// workers also import the module, so it is registered by its URL
await registerArchitecture(new URL("./mean-of-words.mjs", import.meta.url));

const folder = await mkdtemp(join(tmpdir(), "pearl-own-"));
try {
  const [start, trained, table] = ["start", "trained", "pairs.csv"].map((name) => join(folder, name));
  await createModel(start, { from: "mean-of-words", width: 32 }, { phrases: pairs.flat() });
  await writeFile(table, ["text,positive", ...pairs.map((pair) => pair.join(","))].join("\n"));
  await finetune({ base: start, pairs: table, output: trained, epochs: 60, learningRate: 0.01 });

  for (const [name, model] of Object.entries({ "before training": start, "after training": trained })) {
    const encoder = await PhraseEncoder.load(model);
    const [[same, other]] = await encoder.similarity(["physician"], ["medical doctor", "motor car"]);
    console.log(`${name}: physician – medical doctor ${same.toFixed(2)}, – motor car ${other.toFixed(2)}`);
    await encoder.dispose();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
