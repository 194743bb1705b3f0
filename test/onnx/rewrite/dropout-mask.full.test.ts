import { describe, expect, it } from "vitest";
import { encodeModel } from "../../../src/onnx/io/file.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import { maskFeeds, maskGraph } from "./mask-graph.js";

const [rows, columns, places, ratio] = [1500, 96, 3, 0.1];

const graph = maskGraph(places, ratio);

/** 1 where an element is dropped, in each place. */
async function drop(seeds: readonly number[], dims = [rows, columns]): Promise<Uint8Array[][]> {
  const session = await createOrtSession(encodeModel(graph));
  const drawn: Uint8Array[][] = [];
  for (const seed of seeds) {
    const masks = Object.values(await session.run(maskFeeds(seed, dims)));
    for (const mask of masks) expect(mask.dims).toEqual(dims);
    drawn.push(masks.map(({ data }) => Uint8Array.from(data as Float32Array, (x) => (x === 0 ? 1 : 0))));
  }
  await session.release();
  return drawn;
}

/** By how many standard deviations of independent elements two masks, or a mask and itself moved, agree too often. */
function excess(a: Uint8Array, b: Uint8Array, lag = 0): number {
  const count = a.length - lag;
  let both = 0;
  for (let i = 0; i < count; i++) both += (a[i] - ratio) * (b[i + lag] - ratio);
  return Math.abs(both) / (ratio * (1 - ratio) * Math.sqrt(count));
}

/** χ² of the numbers of dropped elements, per line; near 1 for independent elements. */
function spread(mask: Uint8Array, lines: number, lineOf: (i: number) => number): number {
  const dropped = new Float64Array(lines);
  mask.forEach((x, i) => {
    dropped[lineOf(i)] += x;
  });
  const size = mask.length / lines;
  return dropped.reduce((sum, x) => sum + (x - size * ratio) ** 2, 0) / (lines * size * ratio * (1 - ratio));
}

describe("masks of dropout", async () => {
  const all = (await drop([0, 1, 2, 978, 2 ** 31 - 2])).flat();

  it("drop the given share, no row and no column more often than chance does", () => {
    for (const mask of all) {
      const share = mask.reduce((sum, x) => sum + x, 0) / mask.length;
      expect(Math.abs(share - ratio)).toBeLessThan(4 * Math.sqrt((ratio * (1 - ratio)) / mask.length));
      // five standard deviations
      const row = spread(mask, rows, (i) => Math.floor(i / columns));
      expect(Math.abs(row - 1)).toBeLessThan(5 * Math.sqrt(2 / rows));
      const column = spread(mask, columns, (i) => i % columns);
      expect(Math.abs(column - 1)).toBeLessThan(5 * Math.sqrt(2 / columns));
    }
  });

  it("decide each element apart: from its neighbours, a block of rows away, and in other places and seeds", () => {
    for (const mask of all)
      for (const lag of [1, 2, 3, columns - 1, columns, columns + 1, 2 * columns, 1024 * columns])
        expect(excess(mask, mask, lag), `lag ${lag}`).toBeLessThan(4.5);
    all.forEach((a, i) => {
      for (const b of all.slice(i + 1)) expect(excess(a, b)).toBeLessThan(4.5);
    });
  });

  it("drop an element by its own chance over the seeds", async () => {
    const [small, steps] = [[40, 24], 200];
    const masks = await drop(
      Array.from({ length: steps }, (_, step) => 5 + step),
      small,
    );
    const elements = small[0] * small[1];
    for (let place = 0; place < places; place++) {
      const steady = Uint8Array.from(masks.flatMap((found) => [...found[place]]));
      expect(Math.abs(spread(steady, elements, (i) => i % elements) - 1)).toBeLessThan(
        5 * Math.sqrt(2 / elements),
      );
      expect(excess(steady, steady, elements)).toBeLessThan(4.5);
    }
  });

  it("have no relation between the corners of a rectangle", () => {
    for (const mask of all) {
      let sum = 0;
      let count = 0;
      for (let row = 0; row + 7 < rows; row += 2)
        for (let column = 0; column + 5 < columns; column++, count++) {
          const corner = row * columns + column;
          sum += [0, 5, 7 * columns, 7 * columns + 5].reduce(
            (product, step) => product * (mask[corner + step] - ratio),
            1,
          );
        }
      expect(Math.abs(sum) / ((ratio * (1 - ratio)) ** 2 * Math.sqrt(count))).toBeLessThan(5);
    }
  });

  it("fit a value of any number of dimensions, with rows that fill blocks exactly", async () => {
    const [[mask]] = await drop([3], [4, 8, 64, 5]);
    expect(excess(mask, mask, 1024 * 5)).toBeLessThan(4.5);
    const [[flat]] = await drop([3], [2048, 5]);
    expect(flat).toEqual(mask);
  });
});
