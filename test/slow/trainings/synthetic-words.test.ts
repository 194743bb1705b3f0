/** Character encoders that are pretrained on synthetic words find misspelt words that they never saw. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { pretrainCharacters } from "../../../src/methods/characters/pretrain-characters.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { found, withEncoder, words } from "../../methods/characters/misspelt.js";

const root = mkdtempSync(join(tmpdir(), "pearl-synthetic-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const at = (name: string) => join(root, name);
writeFileSync(at("words.txt"), `${words.join("\n")}\n`);

describe("pretraining on synthetic words", () => {
  const synthetic = {
    ...{ synthetic: 1500, like: at("words.txt"), seed: 4, learningRate: 0.01 },
    batchSize: 64,
  };

  it.each([
    ["bag", { width: 24, pooling: undefined }, 0.1, 24],
    ["bilstm", { width: 16, hidden: 32, pooling: "mean" }, 0.5, 32],
    ["bilstm", { width: 16, hidden: 32, pooling: "max" }, 0.5, 32],
  ] as const)(
    "teaches %s %j to find misspelt words that it never saw",
    async (kind, sizes, least, dimension) => {
      const output = at(`synthetic-${kind}-${sizes.pooling}`);
      const report = await pretrainCharacters({ ...synthetic, ...sizes, kind, output, epochs: 2 });
      expect(report.data).toMatchObject({ words: 1500, source: "synthetic words like words.txt" });
      expect(report.settings).toMatchObject({
        projection: 128,
        hardNegatives: 0,
        attacks: { preset: "edits" },
      });
      expect(await found(output)).toBeGreaterThan(least);
      const folder = await readModelFolder(output);
      expect(folder.dimension ?? dimension).toBe(dimension);
      const weights = [...readModel(folder.graph).graph.initializers.keys()];
      expect(weights.filter((name) => name.startsWith("projection"))).toEqual([]);
    },
  );

  it("gives a word the same vector alone and among longer ones, whatever the pooling", async () => {
    for (const pooling of ["mean", "max"])
      await withEncoder(at(`synthetic-bilstm-${pooling}`), async (encoder) => {
        const [alone] = await encoder.encode(["lomi"]);
        const [among] = await encoder.encode(["lomi", "kebarasetivo", "x"]);
        expect(Math.max(...alone.map((value, i) => Math.abs(value - among[i])))).toBeLessThan(1e-5);
      });
  });
});
