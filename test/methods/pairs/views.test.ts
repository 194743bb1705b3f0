import { expect, it } from "vitest";
import { cutsOf, mixed, mixtures, pairInputs } from "../../../src/methods/pairs/views.js";
import { createNet, fromSeed } from "../../../src/nn/net.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";

it("cutoff leaves out one word, and a phrase of one word as it is", () => {
  expect(cutsOf("New York  Times")).toEqual(["York Times", "New Times", "New York"]);
  expect(cutsOf("Zürich")).toEqual(["Zürich"]);
});

it("mixup adds a smaller share of the next row, the same for the same seed", async () => {
  const net = createNet(fromSeed(0));
  net.g.output("mixed", mixed(net, net.g.input("rows", "float32", ["pairs", 2])));
  const session = await createOrtSession(encodeModel(net.g.model()));
  const rows = [1, 0, 0, 1, 4, 4];
  const shares = mixtures(3, 7);
  const outputs = await session.run({
    rows: { type: "float32", dims: [3, 2], data: Float32Array.from(rows) },
    [pairInputs.mixture]: shares,
  });
  await session.release();
  const found = [...(outputs.mixed.data as Float32Array)];
  for (const [row, share] of [...(shares.data as Float32Array)].entries()) {
    expect(share).toBeGreaterThan(0.5);
    for (const column of [0, 1]) {
      const next = rows[2 * ((row + 1) % 3) + column];
      expect(found[2 * row + column]).toBeCloseTo(share * rows[2 * row + column] + (1 - share) * next, 6);
    }
  }
  expect(mixtures(3, 7)).toEqual(shares);
  expect(mixtures(3, 8)).not.toEqual(shares);
});
