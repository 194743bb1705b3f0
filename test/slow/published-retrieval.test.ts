/** The published retrieval protocol on FAISS, if the optional faiss-node is built (scripts/install-faiss.sh). */
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { yago } from "../../src/benchmark/tasks/retrieval.js";
import { createRandom } from "../../src/random.js";
import { tableModel, writeData } from "../benchmark/small-data.js";

const hasFaiss = isInstalled("faiss-node");
if (!hasFaiss) console.info("skipped: faiss-node is not installed (bash scripts/install-faiss.sh)");

describe.skipIf(!hasFaiss)("yago under the published protocol", () => {
  it("finds most names by their own vectors through the compressed index", async () => {
    const random = createRandom(1);
    const names = Array.from({ length: 400 }, (_, index) => `name ${index}`);
    const vectors = Object.fromEntries(names.map((name) => [name, Array.from({ length: 48 }, random)]));
    const aliases = Object.fromEntries(names.map((name) => [`alias of ${name}`, vectors[name]]));
    const dataFolder = writeData({
      "yago/yago_kb.txt": names.join("\n"),
      "yago/yago_test_samples.txt": names.map((name) => `alias of ${name}\t${name}`).join("\n"),
    });
    const model = tableModel({ ...vectors, ...aliases });
    const { scores } = await yago.run({ model, protocol: "published", dataFolder, seed: 0 });
    expect(scores).toHaveLength(1);
    expect(scores[0]).toMatchObject({ metric: "accuracy", n: 400 });
    // The codes are lossy: with more codes than half the names, most names are found, but not always all.
    expect(scores[0].score).toBeGreaterThan(0.9);
  }, 600_000);
});

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
