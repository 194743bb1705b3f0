/** Sums, means, maxima, softmax and layer normalisation. */
import { caseList, float32 } from "./case-list.js";

const { cases, direct, built } = caseList();

for (const op of [
  "ReduceMean",
  "ReduceMax",
  "ReduceMin",
  "ReduceL1",
  "ReduceL2",
  "ReduceSumSquare",
  "ReduceLogSumExp",
] as const) {
  direct(op, "last axis", [[2, 3, 4]], { axes: [-1] });
  direct(op, "two axes, dropped", [[2, 3, 4]], { axes: [0, -1], keepdims: 0 });
  direct(op, "all axes", [[2, 3]]);
  direct(op, "an axis of 1", [[2, 1, 3]], { axes: [1], keepdims: 0 });
  built(op, "axes as input", [[2, 3]], (g, [x]) => g.add(op, [x, g.ints(-1)], { keepdims: 0 }), {
    opset: 18,
  });
  direct(op, "rows of an empty batch", [[0, 3]], { axes: [1] });
}
built("ReduceSum", "axes as input", [[2, 3, 4]], (g, [x]) => g.add("ReduceSum", [x, g.ints(0, -1)]));
built("ReduceSum", "dropped axis", [[2, 3, 4]], (g, [x]) =>
  g.add("ReduceSum", [x, g.ints(1)], { keepdims: 0 }),
);
direct("ReduceSum", "all axes", [[2, 3]], { keepdims: 0 });
direct("ReduceSum", "no axes on purpose", [[2, 3]], { noop_with_empty_axes: 1 });
built("ReduceSum", "over an empty axis", [[2, 0]], (g, [x]) => g.add("ReduceSum", [x, g.ints(1)]));
built("ReduceMean", "of an empty tensor", [[0, 2]], (g, [x]) =>
  g.add("ReduceMean", [x], { axes: [1], keepdims: 0 }),
);
built("ReduceMax", "equal entries share", [[2]], (g, [x]) =>
  g.add("ReduceMax", [g.add("Concat", [x, x], { axis: 0 })]),
);
for (const op of ["Softmax", "LogSoftmax"] as const) {
  direct(op, "last axis", [[2, 3, 4]]);
  direct(op, "axis 1", [[2, 3, 4]], { axis: 1 });
  direct(op, "an axis of 1", [[2, 1]], { axis: -1 });
  direct(op, "an empty batch", [[0, 3]]);
}
direct("LayerNormalization", "last axis", [[2, 3, 4], [4], [4]], {}, float32);
direct(
  "LayerNormalization",
  "two axes",
  [
    [2, 3, 4],
    [3, 4],
    [3, 4],
  ],
  { axis: 1, epsilon: 1e-3 },
  float32,
);
direct("LayerNormalization", "no bias", [[2, 4], [4]], {}, float32);
direct("LayerNormalization", "a broadcast scale", [[2, 3, 4], [1], [4]], { axis: -1 }, float32);

export { cases };
