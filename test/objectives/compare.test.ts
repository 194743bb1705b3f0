/** Which rows of a batch an objective compares: equal phrases of two classes do not repel each other. */
import { describe, expect, it } from "vitest";
import { createNet, fromSeed, type Net } from "../../src/nn/net.js";
import { compareAll, compareSides } from "../../src/objectives/compare.js";
import type { ObjectiveRows } from "../../src/objectives/objective.js";
import { objectiveLoss, objectiveNames, objectives } from "../../src/objectives/registry.js";
import { encodeModel } from "../../src/onnx/io/file.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import { type Feeds, float32, int32 } from "../../src/runtime/tensor.js";

interface Batch {
  readonly anchors: readonly number[][];
  readonly positives: readonly number[][];
  readonly negatives?: readonly number[][];
  readonly classes: readonly number[];
  readonly groups?: readonly number[];
  readonly scores?: readonly number[];
  readonly teacher?: readonly number[][];
}

/** The value of a graph over a batch's rows, such as a loss. */
async function computed(batch: Batch, build: (net: Net, rows: ObjectiveRows) => string): Promise<number[]> {
  const feeds: Feeds = {};
  for (const [name, values] of Object.entries(batch))
    feeds[name] =
      name === "classes" || name === "groups"
        ? int32(values as number[])
        : {
            ...float32((values as number[][]).flat()),
            dims: [values.length, ...(name === "scores" ? [] : [3])],
          };
  const net = createNet(fromSeed(1));
  for (const [name, { type, dims }] of Object.entries(feeds)) net.g.input(name, type, [...dims]);
  const teacher = batch.teacher && { vectors: "teacher", width: 3 };
  const names = Object.fromEntries(Object.keys(feeds).map((name) => [name, name]));
  net.g.output(
    "value",
    net.g.add("Identity", [build(net, { ...names, teacher, width: 3 } as unknown as ObjectiveRows)]),
  );
  const session = await createOrtSession(encodeModel(net.g.model()));
  const { value } = await session.run(feeds);
  await session.release();
  return Array.from(value.data as Float32Array);
}

const [apple, orchard, firm, pear] = [
  [1, 0, 0],
  [0.6, 0.8, 0],
  [0.7, 0, 0.7],
  [0, 1, 0.2],
];
/** The first anchor and the second positive are the same phrase. */
const batch = {
  anchors: [apple, firm],
  positives: [orchard, apple],
  ...{ classes: [0, 1, 0, 1], groups: [0, 1, 2, 0] },
};

describe("equal phrases of two classes", () => {
  it("are neither of the same class nor different", async () => {
    const all = await computed(batch, (net, rows) => compareAll(net, rows).different);
    expect(all).toEqual([...[0, 1, 0, 0], ...[1, 0, 1, 0], ...[0, 1, 0, 1], ...[0, 0, 1, 0]]);
    const same = await computed(batch, (net, rows) => compareAll(net, rows).same);
    expect(same).toEqual([...[0, 0, 1, 0], ...[0, 0, 0, 1], ...[1, 0, 0, 0], ...[0, 1, 0, 0]]);
    const sides = await computed(batch, (net, rows) => compareSides(net, rows).different);
    expect(sides).toEqual([...[0, 0], ...[1, 0]]);
  });

  const reading = objectiveNames.filter((name) => Object.hasOwn(objectives[name].needs, "label"));
  it.each(reading)("do not repel each other in %s", async (name) => {
    const lossOf = (own: Batch) => computed(own, (net, rows) => objectiveLoss(net, rows, { name }));
    const scored = Object.hasOwn(objectives[name].needs, "score") && name !== "contrastive";
    const pair = { anchors: [apple], positives: [orchard], classes: [0, 0], ...(scored && { scores: [1] }) };
    const repeated = { ...pair, negatives: [apple], classes: [0, 0, 1] };
    const [alone] = await lossOf(pair);
    expect((await lossOf({ ...repeated, groups: [0, 0, 0] }))[0]).toBeCloseTo(alone, 5);
    expect(Math.abs((await lossOf(repeated))[0] - alone)).toBeGreaterThan(0.01);
  });

  it.each([
    ["info-nce", { directions: "both" }],
    ["block", {}],
  ] as const)("are the same ones for %s when the sides are exchanged", async (name, settings) => {
    const lossOf = (own: Batch) => computed(own, (net, rows) => objectiveLoss(net, rows, { name, settings }));
    const negatives = { negatives: [pear], classes: [0, 1, 0, 1, 2] };
    const turned = { anchors: batch.positives, positives: batch.anchors, groups: [2, 0, 0, 1, 3] };
    const [loss] = await lossOf({ ...batch, ...negatives, groups: [0, 1, 2, 0, 3] });
    expect((await lossOf({ ...turned, ...negatives }))[0]).toBeCloseTo(loss, 5);
  });
});

describe("a teacher's guide", () => {
  // the teacher finds the firm nearer to the apple than the orchard is, and the pear farther
  const pair = { anchors: [apple], positives: [orchard] };
  const judged = (negative: number[]) => ({ ...pair, negatives: [negative], classes: [0, 0, 1] });
  const sees = { near: [1, 0, 0], positive: [0.8, 0.6, 0], far: [0, 0, 1] };

  it("takes a phrase that is nearer than the positive for no negative, of either phrase of the pair", async () => {
    const different = (teacher: number[][]) =>
      computed({ ...judged(firm), teacher }, (net, rows) => compareAll(net, rows).different);
    // to the positive itself, the first is as near as its anchor
    expect(await different([sees.near, sees.positive, sees.near])).toEqual([...[0, 0, 0], ...[0, 0, 1]]);
    expect(await different([sees.near, sees.positive, sees.far])).toEqual([...[0, 0, 1], ...[0, 0, 1]]);
  });

  const guided = objectiveNames.filter(
    (name) => objectives[name].needs.teacher === "optional" && objectives[name].needs.label === "optional",
  );
  it("is heeded by every objective that compares phrases", () => expect(guided.length).toBeGreaterThan(9));
  it.each(guided)("in %s makes a false negative count as none, and changes nothing else", async (name) => {
    const lossOf = (own: Batch) => computed(own, (net, rows) => objectiveLoss(net, rows, { name }));
    const [alone] = await lossOf({ ...pair, classes: [0, 0] });
    const [plain] = await lossOf(judged(firm));
    // nearer to both phrases than they are to each other
    const false_ = [sees.near, sees.positive, [0.95, 0.31, 0]];
    expect((await lossOf({ ...judged(firm), teacher: false_ }))[0]).toBeCloseTo(alone, 5);
    const [kept] = await lossOf({ ...judged(firm), teacher: [sees.near, sees.positive, sees.far] });
    expect(kept).toBe(plain);
    expect(Math.abs(plain - alone)).toBeGreaterThan(0.01);
  });
});
