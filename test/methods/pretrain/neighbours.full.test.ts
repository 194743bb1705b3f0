/** Pretraining on sentences of an invented language: two subjects, whose sentences stand together and share no word. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { readPart } from "../../../src/architectures/registry.js";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type NeighbourOptions, pretrainNeighbours } from "../../../src/methods/pretrain/neighbours.js";
import { createRandom } from "../../../src/random.js";

const root = mkdtempSync(join(tmpdir(), "pearl-neighbours-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const subjects = [
  ["zolka eats", "brint sleeps", "fupper runs"],
  ["gnarl cuts", "wexo bends", "titch breaks"],
] as const;
const text = join(root, "text.txt");

beforeAll(() => {
  const random = createRandom(5);
  const documents = Array.from({ length: 60 }, () => {
    const own = subjects[random() < 0.5 ? 0 : 1];
    return Array.from({ length: 6 }, () => own[Math.floor(random() * own.length)]).join("\n");
  });
  writeFileSync(text, documents.join("\n\n"));
});

const small: Omit<NeighbourOptions, "output"> = {
  ...{
    texts: [text],
    kind: "gru",
    width: 12,
    hidden: 10,
    batchSize: 24,
    steps: 60,
    learningRate: 1e-2,
    seed: 3,
  },
  units: {
    ...{ units: "ngrams", positions: 32, phraseLength: 3, padding: "words" },
    ngrams: { minimum: 2, maximum: 3, buckets: 64 },
  },
};

async function vectorsOf(folder: string): Promise<number[][]> {
  const encoder = await PhraseEncoder.load(folder);
  const vectors = await encoder.encode(subjects.flat());
  await encoder.dispose();
  return vectors.map((vector) => [...vector]);
}

const product = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);

function expectApart(vectors: readonly number[][]): void {
  const cosine = (a: number, b: number) => product(vectors[a], vectors[b]);
  const same = (cosine(0, 1) + cosine(1, 2) + cosine(3, 4) + cosine(4, 5)) / 4;
  const other = (cosine(0, 3) + cosine(1, 4) + cosine(2, 5) + cosine(0, 5)) / 4;
  expect(same).toBeGreaterThan(other + 0.3);
}

describe("pretraining on neighbours", () => {
  it("brings together sentences that stand together, and keeps g or both as asked", async () => {
    const outputs = (["both", "g"] as const).map((encode) => ({ encode, output: join(root, encode) }));
    for (const each of outputs) await pretrainNeighbours({ ...small, ...each });
    const [both, g] = await Promise.all(outputs.map(({ output }) => vectorsOf(output)));
    expect(both[0]).toHaveLength(20);
    for (const vectors of [both, g]) expectApart(vectors);
    for (const [i, vector] of both.entries()) {
      const likeG = (half: number[]) => product(half, g[i]) / Math.sqrt(product(half, half));
      expect(likeG(vector.slice(10))).toBeCloseTo(1, 4);
      expect(likeG(vector.slice(0, 10))).toBeLessThan(0.99);
    }

    const part = await readPart(await readModelFolder(join(root, "g")), {});
    expect(part.section).toEqual({ character_encoder: { kind: "gru", width: 12, hidden: 10 } });
    const whole = readModelFolder(join(root, "both"));
    await expect(whole.then((folder) => readPart(folder, {}))).rejects.toThrow("no character encoder");
    const record = JSON.parse(readFileSync(join(root, "both", "training.json"), "utf8"));
    expect(record.data).toMatchObject({ texts: ["text.txt"], sentences: 360, documents: 60 });
  });

  it("brings them together by blocks, with one encoder of another kind", async () => {
    const output = join(root, "block");
    const units = { units: "characters", positions: 16, phraseLength: 6 } as const;
    await pretrainNeighbours({ ...small, ...{ kind: "bag", units, objective: "block", output } });
    expectApart(await vectorsOf(output));
  });

  it.each([
    [{ objective: "block", encode: "both" }, "the objective block trains one encoder"],
    [{ batchSize: 5, contextSize: 2 }, "use a larger batch size"],
    [{ hidden: 0 }, "hidden must be a whole number above 0"],
    [{ kind: "runes" }, 'no character encoder "runes"'],
  ] as const)("refuses %o", async (options, message) => {
    const refused = pretrainNeighbours({ ...small, output: join(root, "refused"), ...options });
    await expect(refused).rejects.toThrow(message);
  });
});
