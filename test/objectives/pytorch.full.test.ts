/** Each objective against an independent implementation in float64 PyTorch (test/oracles/objectives.py, teacher.py). */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { differentiate } from "../../src/autodiff/gradient.js";
import { createNet, fromTensors, type Net } from "../../src/nn/net.js";
import {
  lossOfPrefixes,
  type ObjectiveRows,
  type ObjectiveSettings,
} from "../../src/objectives/objective.js";
import { type ObjectiveName, objectiveLoss, objectiveNames } from "../../src/objectives/registry.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { encodeModel } from "../../src/onnx/io/file.js";
import { observeShapes } from "../../src/onnx/observe-shapes.js";
import { type Tensor, tensor } from "../../src/onnx/tensor.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import type { Feeds } from "../../src/runtime/tensor.js";

interface Batch {
  rows: number[];
  pairs: number;
  classes: number[];
  scores: number[];
  /** Vectors of teachers, by name. */
  teachers?: Record<string, number[]>;
}
interface Case {
  objective: ObjectiveName;
  settings: ObjectiveSettings;
  batch: string;
  /** Whether the objective gets the pairs' scores. */
  scores: boolean;
  /** Name of the teacher, and lengths of prefixes; default none. */
  teacher?: string;
  dims?: number[];
  loss: number;
  gradients: Record<string, number[]>;
}
interface Oracle {
  width: number;
  batches: Record<string, Batch>;
  weights: Record<string, { dims: number[]; data: number[] }>;
  cases: Case[];
}

const [plain, taught] = ["objectives", "teacher"].map(
  (name): Oracle => JSON.parse(readFileSync(new URL(`../oracles/${name}.json`, import.meta.url), "utf8")),
);
const { width, weights } = plain;
const batches = { ...plain.batches, ...taught.batches };
const cases = [...plain.cases, ...taught.cases];
const stored = new Map<string, Tensor>(
  Object.entries(weights).map(([name, { dims, data }]) => [name, tensor("float32", dims, data)]),
);

function feedsOf({ rows, pairs, classes, scores }: Batch, isScored: boolean): Feeds {
  const part = (from: number, to: number) =>
    tensor("float32", [to - from, width], rows.slice(from * width, to * width));
  const count = classes.length;
  return {
    anchors: part(0, pairs),
    positives: part(pairs, 2 * pairs),
    ...(count > 2 * pairs && { negatives: part(2 * pairs, count) }),
    classes: tensor("int32", [count], classes),
    ...(isScored && { scores: tensor("float32", [pairs], scores) }),
  } as Feeds;
}

/** Loss and gradients of an objective, as a training computes them. */
async function run(
  { objective, settings, batch, scores, gradients, ...more }: Case,
  opset: number,
  factor = 1,
) {
  const { rows: unscaled, teachers, ...others } = batches[batch];
  const targets = more.teacher === undefined ? undefined : teachers?.[more.teacher];
  const count = others.classes.length;
  const feeds = {
    ...feedsOf({ ...others, rows: unscaled.map((x) => factor * x) }, scores),
    ...(targets && { teacher: tensor("float32", [count, targets.length / count], targets) }),
  } as Feeds;
  const net = createNet(fromTensors(stored), new GraphBuilder({ opset }));
  for (const [name, { type, dims }] of Object.entries(feeds)) net.g.input(name, type, [...dims]);
  const { negatives, scores: given } = feeds;
  const rows = {
    ...{ anchors: "anchors", positives: "positives", classes: "classes", width },
    ...(targets && { teacher: { vectors: "teacher", width: targets.length / count } }),
    ...{ ...(negatives && { negatives: "negatives" }), ...(given && { scores: "scores" }) },
  };
  const lossOf = (own: Net, some: ObjectiveRows) => objectiveLoss(own, some, { name: objective, settings });
  const loss = lossOfPrefixes(net, rows, { dims: more.dims ?? [], loss: lossOf });
  net.g.output("loss", loss);
  const model = net.g.model();
  const shapes = await observeShapes(model, feeds, (bytes) =>
    createOrtSession(bytes, { optimization: "disabled" }),
  );
  const wanted = Object.keys(gradients).filter((name) => name in feeds || model.graph.initializers.has(name));
  const trained = differentiate(model, { loss: "loss", weights: wanted, shapes });
  const session = await createOrtSession(encodeModel(trained.model), { optimization: "basic" });
  const values = Object.fromEntries([...stored].filter(([name]) => wanted.includes(name)));
  const outputs = await session.run({ ...feeds, ...values } as Feeds);
  await session.release();
  return {
    loss: Number(outputs.loss.data[0]),
    gradients: Object.fromEntries(
      wanted.map((name) => [name, outputs[trained.gradients.get(name) as string].data as Float32Array]),
    ),
  };
}

describe("objectives have PyTorch's losses and gradients", () => {
  it("and no objective is left out", () => {
    expect([...new Set(cases.map(({ objective }) => objective))].sort()).toEqual([...objectiveNames].sort());
  });

  const named = cases.map((each) => {
    const settings = Object.entries(each.settings).map(([name, value]) => ` ${name}=${value}`);
    const more = [each.scores ? ", scores" : "", each.teacher ?? "", ...(each.dims ?? [])]
      .join(" ")
      .trimEnd();
    return [`${each.objective}${settings.join("")}, batch ${each.batch}${more}`, each] as const;
  });
  it.each(named)("%s", async (_, each) => {
    for (const opset of [17, 20]) {
      const found = await run(each, opset);
      expect(Math.abs(found.loss - each.loss)).toBeLessThan(1e-5 * Math.max(1, Math.abs(each.loss)));
      expect(Object.keys(found.gradients).sort()).toEqual(Object.keys(each.gradients).sort());
      const right = Object.values(each.gradients).flat();
      const largest = right.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
      for (const [name, gradient] of Object.entries(found.gradients))
        for (const [i, x] of gradient.entries())
          expect(Math.abs(x - each.gradients[name][i]) / largest, `${name} ${i}`).toBeLessThan(1e-5);
    }
  });
});

it("the variances of gaussian are above 0 for phrases far from the origin", async () => {
  const far = cases.find(({ objective, batch }) => objective === "gaussian" && batch === "classes") as Case;
  const { loss, gradients } = await run(far, 17, 100);
  expect([loss, ...Object.values(gradients).flatMap((values) => [...values])].every(Number.isFinite)).toBe(
    true,
  );
});
