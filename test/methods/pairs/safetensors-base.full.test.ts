/** Trainings on pairs that start from a folder of safetensors, without an import before them. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { exportSafetensors } from "../../../src/hub/convert/export-safetensors.js";
import { finetune } from "../../../src/methods/pairs/finetune.js";
import { fixtureModel, largestError } from "../../encoder/fixture-models.js";
import { rawVectors } from "../../encoder/load.js";
import { withEnvironment } from "../../setup/environment.js";
import { newFolder } from "../../setup/new-folder.js";
import { metricsOf } from "../../training/pairs-folder.js";

const words = "the new york times of pearl bank island a b c".split(" ");
const rows = Array.from({ length: 40 }, (_, i) => {
  const [first, second, third] = [i % 11, (i * 3 + 1) % 11, (i * 7 + 4) % 11].map((at) => words[at]);
  return `${first} ${second} ${third},${third} ${first} ${second}`;
});

async function tuned(base: string) {
  const output = join(newFolder(), "tuned");
  const pairs = join(newFolder(), "pairs.csv");
  writeFileSync(pairs, `text,positive\n${rows.join("\n")}\n`);
  const options = { batchSize: 20, epochs: 8, learningRate: 3e-3, validate: 0, output, pairs, base };
  const report = await withEnvironment({ HF_HOME: newFolder() }, () => finetune(options));
  const losses = metricsOf(output).map(({ loss }) => loss);
  return { output, report, losses };
}

const encoded = async (folder: string) => {
  const encoder = await PhraseEncoder.load(folder, { threads: 1 });
  const vectors = await encoder.encode(["the pearl island", "bank"]);
  await encoder.dispose();
  return vectors.map((vector) => Array.from(vector));
};

describe("finetune from a folder of safetensors", () => {
  it.each(["mpnet", "modernbert", "distilbert"] as const)(
    "learns, records the folder's name and leaves it as it was: %s",
    async (name) => {
      const { folder } = fixtureModel(name);
      writeFileSync(join(folder, "README.md"), "---\nlicense: mit\n---\n");
      const before = readdirSync(folder, { recursive: true }).sort();
      const { output, report, losses } = await tuned(folder);
      expect(losses.at(-1)).toBeLessThan(0.9 * (losses[0] as number));
      expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
      expect(report.base).toMatchObject({ name, licence: "mit", fingerprint: expect.any(String) });
      const card = readFileSync(join(output, "README.md"), "utf8");
      expect(card).toContain(`fine-tuned from ${name} `);
      // what another library reads differently is not promised for it: Dense follows the pooling
      expect(card.includes("library_name: transformers.js")).toBe(name !== "distilbert");
      const vectors = await encoded(output);
      expect(vectors[0]).toHaveLength(name === "distilbert" ? 8 : 16);
    },
  );

  it.each(["mpnet", "modernbert", "distilbert"] as const)(
    "is exported with what it learned: %s",
    async (name) => {
      const { folder } = fixtureModel(name);
      rmSync(join(folder, "modules.json"), { force: true });
      const { output } = await tuned(folder);
      const exported = join(newFolder(), "exported");
      await exportSafetensors(output, exported);
      const again = await withEnvironment({ HF_HOME: newFolder() }, () => encoded(exported));
      expect(largestError(again, await encoded(output))).toBeLessThan(1e-5);
    },
  );

  it.each(["cls", "max", "lasttoken", "weightedmean", "mean_sqrt_len_tokens"])(
    "learns pooled by %s",
    async (mode) => {
      const { folder, expected } = fixtureModel("distilbert");
      rmSync(join(folder, "modules.json"));
      writeFileSync(join(folder, "1_Pooling/config.json"), JSON.stringify({ pooling_mode: mode }));
      const { output, losses } = await tuned(folder);
      expect(losses.at(-1)).toBeLessThan(0.9 * (losses[0] as number));
      expect(await rawVectors(output, expected.phrases)).toHaveLength(4);
    },
  );
});
