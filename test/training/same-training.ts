/** Two ways to train end at the same weights: in one pass, in chunks and resumed. */
import { expect } from "vitest";
import type { TrainingBatch } from "../../src/train.js";
import { type EngineOptions, openEngine } from "../../src/training/engine.js";
import { tinyData, tinyProgram } from "./tiny-program.js";

/** A batch of the tiny task, its rows given in two chunks. */
async function inChunks(index: number): Promise<TrainingBatch> {
  const { feeds, phrases } = await tinyData.batch(index);
  const [rows, length] = feeds.ids.dims;
  const even = Int32Array.from({ length: rows / 2 }, (_, i) => 2 * i);
  // a row that only fills its chunk must change nothing
  const odd = Int32Array.from([...even.map((row) => row + 1), -1]);
  const chunks = [even, odd].map((places) => {
    const part = (name: string) => {
      const data = feeds[name].data as BigInt64Array;
      const picked = Array.from(places).flatMap((place) => {
        const row = Math.max(0, place);
        return [...data.subarray(row * length, (row + 1) * length)];
      });
      return { type: "int64", dims: [places.length, length], data: BigInt64Array.from(picked) } as const;
    };
    return { rows: places, feeds: { ids: part("ids"), mask: part("mask") } };
  });
  return { feeds: {}, chunks, phrases };
}

/** Trains with `options`, and again with those of another place, and compares every weight. */
export async function expectSameTraining(options: EngineOptions, place: EngineOptions, tolerance = 1e-5) {
  const steps = [await tinyData.batch(0), await inChunks(1), await tinyData.batch(2), await inChunks(3)];
  const [memory, other] = [
    await openEngine(tinyProgram(), options),
    await openEngine(tinyProgram(), { ...options, ...place }),
  ];
  for (const batch of steps) {
    const [a, b] = [await memory.step(batch, 0.01), await other.step(batch, 0.01)];
    expect(b.finite).toBe(true);
    expect(Math.abs(b.losses.loss - a.losses.loss)).toBeLessThan(tolerance);
    expect(Math.abs(b.gradientNorm / a.gradientNorm - 1)).toBeLessThan(1e-4);
  }
  const resumed = await openEngine(tinyProgram(), { ...options, ...place });
  await resumed.optimiser.restore(await other.optimiser.state());
  await memory.step(steps[0], 0.01);
  await resumed.step(steps[0], 0.01);
  const [right, found] = [await memory.optimiser.weights(), await resumed.optimiser.weights()];
  expect([...found.keys()].sort()).toEqual([...right.keys()].sort());
  for (const [name, { data }] of right)
    (data as Float32Array).forEach((x, i) => {
      expect(Math.abs(Number(found.get(name)?.data[i]) - x), `${name} ${i}`).toBeLessThan(tolerance);
    });
  for (const engine of [memory, other, resumed]) await engine.release();
}
