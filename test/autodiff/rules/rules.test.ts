import { describe, expect, it } from "vitest";
import { checkGradients } from "../../../src/autodiff/check.js";
import { rules } from "../../../src/autodiff/rules.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { tensor, typeCode } from "../../../src/onnx/tensor.js";
import { createRandom } from "../../../src/random.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import type { Case } from "./case-list.js";
import * as elementwise from "./elementwise.js";
import * as linearAlgebra from "./linear-algebra.js";
import * as reductions from "./reductions.js";
import * as views from "./views.js";

const cases = [elementwise, linearAlgebra, reductions, views].flatMap((family) => family.cases);

/** Keeps numbers away from 0, where several operators are not differentiable. */
const awayFromZero = (x: number): number => Math.sign(x) * Math.max(Math.abs(x), 0.05);

/** Loss of a case: the sum of all entries of its outputs, each with a different factor so that errors cannot cancel. */
function graphOf({ shapes, build, range = [-1, 1], type = "float64", opset = 17 }: Case, index: number) {
  const random = createRandom(index + 1);
  const g = new GraphBuilder({ opset });
  const weights = shapes.map((dims, i) => {
    const count = dims.reduce((a, b) => a * b, 1);
    const numbers = Array.from({ length: count }, () =>
      awayFromZero(range[0] + (range[1] - range[0]) * random()),
    );
    return g.weight(`x${i}`, tensor(type, dims, numbers));
  });
  const outputs = [build(g, weights)].flat();
  const terms = outputs.map((y) => {
    const positions = g.add("Range", [g.scalar("int64", 0), g.add("Size", [y]), g.scalar("int64", 1)]);
    const angle = g.add("Cast", [positions], { to: typeCode(type) });
    const factor = g.add(
      "Reshape",
      [g.add("Add", [g.add("Cos", [angle]), g.scalar(type, 0.3)]), g.add("Shape", [y])],
      { allowzero: 1 },
    );
    return g.add("ReduceSum", [g.add("Mul", [y, factor])], { keepdims: 0 });
  });
  const loss = terms.reduce((a, b) => g.add("Add", [a, b]));
  return { model: g.model(), loss, weights };
}

describe("each rule agrees with central differences", () => {
  it.each(cases.map((each, index) => ({ ...each, index })))("$op: $title", async (each) => {
    const { model, loss, weights } = graphOf(each, each.index);
    const float = each.type === "float32";
    const errors = await checkGradients(model, {
      loss,
      weights,
      device: each.device,
      step: float ? 1e-2 : 1e-5,
      open: (bytes) => createOrtSession(bytes, { optimization: "disabled" }),
    });
    expect([...errors.keys()]).toEqual(weights);
    for (const error of errors.values()) expect(error).toBeLessThan(float ? 3e-3 : 1e-8);
  });

  it("and no row of the table goes unchecked", () => {
    const checked = new Set<string>(cases.map(({ op }) => op));
    expect(Object.keys(rules).filter((op) => !checked.has(op))).toEqual([]);
  });
});
