/** Small graphs for every row of the rule table, to check gradients by differences. */
import type { DifferentiableOperator } from "../../src/autodiff/rules.js";
import type { AttributeValue, GraphBuilder } from "../../src/onnx/builder.js";

export interface Case {
  op: DifferentiableOperator;
  /** What is special about it. */
  title: string;
  /** Shapes of the weights x[0], x[1], ... */
  shapes: number[][];
  /** Adds the graph and returns its outputs; all of them enter the loss. */
  build(g: GraphBuilder, x: string[]): string | string[];
  /** Range of the random weights; default [-1, 1]. */
  range?: [number, number];
  /** float32 where ONNX Runtime's CPU has no double kernel, or keeps floats inside; default float64. */
  type?: "float32" | "float64";
  device?: "gpu";
  /** Default 17. */
  opset?: number;
}

const cases: Case[] = [];

/** A case that feeds its weights straight to the operator. */
function direct(
  op: DifferentiableOperator,
  title: string,
  shapes: number[][],
  attributes: Record<string, AttributeValue> = {},
  rest: Partial<Case> = {},
): void {
  const [domain, name] = op.includes("::") ? op.split("::") : ["", op];
  cases.push({ op, title, shapes, build: (g, x) => g.add(name, x, attributes, { domain }), ...rest });
}

function built(
  op: DifferentiableOperator,
  title: string,
  shapes: number[][],
  build: Case["build"],
  rest: Partial<Case> = {},
): void {
  cases.push({ op, title, shapes, build, ...rest });
}

const positive = { range: [0.5, 2] as [number, number] };

// --- elementwise, with every way to broadcast ------------------------------------------------------------

for (const op of ["Add", "Sub", "Mul", "Div"] as const) {
  const rest = op === "Div" ? positive : {};
  direct(
    op,
    "same shapes",
    [
      [2, 3],
      [2, 3],
    ],
    {},
    rest,
  );
  direct(op, "a missing axis on the right", [[2, 3], [3]], {}, rest);
  direct(op, "a missing axis on the left", [[3], [2, 3]], {}, rest);
  direct(
    op,
    "axes of 1 on both sides and missing axes",
    [
      [2, 1, 3, 1],
      [4, 1, 2],
    ],
    {},
    rest,
  );
  direct(
    op,
    "axes of 1 that stay 1",
    [
      [2, 1],
      [1, 1],
    ],
    {},
    rest,
  );
  direct(op, "a scalar", [[2, 3], []], {}, rest);
  direct(op, "an empty axis", [[0, 3], [3]], {}, rest);
  built(op, "one input used twice", [[2, 3]], (g, [x]) => g.add(op, [x, x]), rest);
}
for (const op of ["Max", "Min"] as const) {
  direct(op, "two inputs, broadcast", [[2, 3], [3]]);
  direct(op, "three inputs", [[2, 3], [1, 3], []]);
  direct(op, "one input", [[3]]);
  built(op, "with a constant", [[2, 3]], (g, [x]) => g.add(op, [x, g.scalar("float64", 0.1)]));
  built(op, "equal inputs share", [[3]], (g, [x]) => g.add(op, [x, x]));
}
direct("Sum", "three inputs, broadcast", [[2, 3], [3], [2, 1]]);
direct("Pow", "both sides, broadcast", [[2, 3], [3]], {}, positive);
for (const exponent of [2, 3, 0.5])
  built(
    "Pow",
    `constant exponent ${exponent}`,
    [[2, 3]],
    (g, [x]) => g.add("Pow", [x, g.scalar("float64", exponent)]),
    positive,
  );
built("Pow", "square of negative numbers", [[2, 3]], (g, [x]) => g.add("Pow", [x, g.scalar("float64", 2)]));
built("Pow", "whole exponent of another type", [[2, 3]], (g, [x]) => g.add("Pow", [x, g.scalar("int64", 3)]));
built("Pow", "zero base", [[2]], (g, [p]) => g.add("Pow", [g.constant("float64", [2], [0, 2]), p]), positive);
const mask = (g: GraphBuilder) => g.constant("bool", [2, 3], [1, 0, 0, 1, 1, 0]);
built("Where", "broadcast choices", [[2, 3], [3]], (g, [a, b]) => g.add("Where", [mask(g), a, b]));
built("Where", "broadcast condition", [[4, 2, 3], []], (g, [a, b]) => g.add("Where", [mask(g), a, b]));
built("Clip", "both limits", [[3, 4]], (g, [x]) =>
  g.add("Clip", [x, g.scalar("float64", -0.3), g.scalar("float64", 0.4)]),
);
built("Clip", "only an upper limit", [[3, 4]], (g, [x]) => g.add("Clip", [x, "", g.scalar("float64", 0.4)]));
for (const op of ["Neg", "Abs", "Exp", "Tanh", "Sigmoid", "Softplus", "Relu", "Sin", "Cos"] as const) {
  const float = op === "Softplus" ? ({ type: "float32" } as const) : {};
  direct(op, "numbers of both signs", [[3, 4]], {}, float);
}
direct("Neg", "an empty tensor", [[0, 2]]);
direct("Reciprocal", "positive numbers", [[3, 4]], {}, positive);
direct("Sqrt", "positive numbers", [[3, 4]], {}, positive);
direct("Log", "positive numbers", [[3, 4]], {}, positive);
direct("Erf", "numbers of both signs", [[3, 4]], {}, { type: "float32" });
direct("LeakyRelu", "default slope", [[3, 4]], {}, { type: "float32" });
direct("LeakyRelu", "slope 0.3", [[3, 4]], { alpha: 0.3 }, { type: "float32" });
direct("com.microsoft::Gelu", "numbers of both signs", [[3, 4]], {}, { type: "float32", range: [-3, 3] });
direct("Gelu", "exact", [[3, 4]], {}, { type: "float32", range: [-3, 3], opset: 20 });
direct("Gelu", "by tanh", [[3, 4]], { approximate: "tanh" }, { type: "float32", range: [-3, 3], opset: 20 });
for (const op of ["Floor", "Ceil", "Round", "Sign"] as const)
  built(op, "lets nothing through", [[3, 4]], (g, [x]) =>
    g.add("Mul", [x, g.add(op, [g.add("Mul", [x, g.scalar("float64", 3)])])]),
  );

// --- linear algebra --------------------------------------------------------------------------------------

direct("MatMul", "2-D", [
  [2, 3],
  [3, 4],
]);
direct("MatMul", "3-D by 2-D", [
  [2, 5, 3],
  [3, 4],
]);
direct("MatMul", "4-D by 4-D", [
  [2, 2, 3, 4],
  [2, 2, 4, 2],
]);
direct("MatMul", "2-D by 3-D, broadcast", [
  [2, 3],
  [4, 3, 2],
]);
direct("MatMul", "batches broadcast against each other", [
  [2, 1, 2, 3],
  [4, 3, 2],
]);
direct("MatMul", "axes of 1", [
  [1, 1, 3],
  [3, 1],
]);
direct("MatMul", "vector by vector", [[3], [3]]);
direct("MatMul", "vector by matrix", [[3], [3, 2]]);
direct("MatMul", "matrix by vector", [[2, 3], [3]]);
direct("MatMul", "batch by vector", [[4, 2, 3], [3]]);
direct("MatMul", "vector by batch", [[3], [4, 3, 2]]);
direct("MatMul", "an empty batch", [
  [0, 2, 3],
  [3, 4],
]);
built("MatMul", "by its own transpose", [[3, 4]], (g, [x]) => g.add("MatMul", [x, g.add("Transpose", [x])]));
for (const transA of [0, 1])
  for (const transB of [0, 1])
    direct(
      "Gemm",
      `transA ${transA}, transB ${transB}, alpha, beta`,
      [transA ? [3, 2] : [2, 3], transB ? [4, 3] : [3, 4], [4]],
      { transA, transB, alpha: 0.7, beta: 1.3 },
    );
direct("Gemm", "no bias", [
  [2, 3],
  [3, 4],
]);
direct("Gemm", "a column as bias", [
  [2, 3],
  [3, 4],
  [2, 1],
]);
direct("Gemm", "a whole matrix as bias", [
  [2, 3],
  [3, 4],
  [2, 4],
]);
const float = { type: "float32" } as const;
direct("Conv", "plain", [[2, 3, 7], [4, 3, 3], [4]], {}, float);
direct(
  "Conv",
  "padded",
  [
    [2, 3, 5],
    [2, 3, 3],
  ],
  { pads: [2, 1] },
  float,
);
direct(
  "Conv",
  "dilated and padded",
  [
    [1, 2, 8],
    [2, 2, 3],
  ],
  { dilations: [2], pads: [1, 2] },
  float,
);
for (const length of [7, 8, 9])
  direct(
    "Conv",
    `stride 3 on length ${length}`,
    [[2, 2, length], [3, 2, 3], [3]],
    { strides: [3], pads: [1, 1] },
    float,
  );
direct(
  "Conv",
  "stride 2, dilation 2, uneven padding",
  [
    [2, 2, 9],
    [3, 2, 2],
  ],
  { strides: [2], dilations: [2], pads: [0, 3] },
  float,
);
direct(
  "Conv",
  "width 1",
  [
    [2, 3, 4],
    [2, 3, 1],
  ],
  {},
  float,
);

// --- reductions ------------------------------------------------------------------------------------------

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
direct("LayerNormalization", "last axis", [[2, 3, 4], [4], [4]], {}, float);
direct(
  "LayerNormalization",
  "two axes",
  [
    [2, 3, 4],
    [3, 4],
    [3, 4],
  ],
  { axis: 1, epsilon: 1e-3 },
  float,
);
direct("LayerNormalization", "no bias", [[2, 4], [4]], {}, float);
direct("LayerNormalization", "a broadcast scale", [[2, 3, 4], [1], [4]], { axis: -1 }, float);

// --- views -----------------------------------------------------------------------------------------------

built("Identity", "used twice", [[2, 3]], (g, [x]) => g.add("Mul", [g.add("Identity", [x]), x]));
built(
  "Cast",
  "to double and back",
  [[2, 3]],
  (g, [x]) => g.add("Cast", [g.add("Exp", [g.add("Cast", [x], { to: 11 })])], { to: 1 }),
  float,
);
built("CastLike", "the type of the other", [[2, 3], [1]], (g, [x, y]) =>
  g.add("Mul", [g.add("CastLike", [x, y]), y]),
);
built("Reshape", "with a free axis", [[2, 6]], (g, [x]) => g.add("Reshape", [x, g.ints(3, -1)]));
built("Reshape", "empty", [[0, 6]], (g, [x]) => g.add("Reshape", [x, g.ints(0, 2, 3)]));
direct("Flatten", "axis 2", [[2, 3, 4]], { axis: 2 });
direct("Flatten", "negative axis", [[2, 3, 4]], { axis: -1 });
built("Squeeze", "given axes", [[1, 2, 1]], (g, [x]) => g.add("Squeeze", [x, g.ints(-1)]));
direct("Squeeze", "all axes of 1", [[1, 2, 1]]);
built("Unsqueeze", "two axes", [[2, 3]], (g, [x]) => g.add("Unsqueeze", [x, g.ints(0, -1)]));
direct("Transpose", "reversed", [[2, 3, 4]]);
direct("Transpose", "a cycle", [[2, 3, 4]], { perm: [2, 0, 1] });
built("Expand", "an axis of 1 and a new one", [[2, 1]], (g, [x]) => g.add("Expand", [x, g.ints(4, 2, 3)]));
built("Expand", "by 1", [[2, 3]], (g, [x]) => g.add("Expand", [x, g.ints(1)]));
built("Expand", "to an empty axis", [[2, 1]], (g, [x]) => g.add("Expand", [x, g.ints(2, 0)]));
direct(
  "Concat",
  "axis 0",
  [
    [2, 3],
    [1, 3],
    [4, 3],
  ],
  { axis: 0 },
);
direct(
  "Concat",
  "negative axis, one part empty",
  [
    [2, 3],
    [2, 0],
  ],
  { axis: -1 },
);
built("Concat", "one input twice", [[2, 3]], (g, [x]) => g.add("Concat", [x, x], { axis: 1 }));
built("Concat", "beside a constant", [[2, 1]], (g, [x]) =>
  g.add("Concat", [g.constant("float64", [2, 1], [1, 2]), x], { axis: 1 }),
);
built("Split", "equal parts", [[2, 6]], (g, [x]) => g.addMany("Split", [x], 3, { axis: -1 }));
built("Split", "given sizes, one part unused", [[5, 2]], (g, [x]) => {
  const [first, , third] = g.addMany("Split", [x, g.ints(1, 2, 2)], 3, { axis: 0 });
  return [third, first];
});
built("Slice", "an inner part", [[4, 5]], (g, [x]) =>
  g.add("Slice", [x, g.ints(1, 1), g.ints(3, 4), g.ints(0, 1)]),
);
built("Slice", "negative step", [[4, 5]], (g, [x]) =>
  g.add("Slice", [x, g.ints(-1), g.ints(-6), g.ints(1), g.ints(-2)]),
);
built("Slice", "nothing", [[4, 5]], (g, [x]) => g.add("Slice", [x, g.ints(2), g.ints(2), g.ints(0)]));
built("Tile", "both axes", [[2, 3]], (g, [x]) => g.add("Tile", [x, g.ints(2, 3)]));
built("Pad", "zeros", [[2, 3]], (g, [x]) => g.add("Pad", [x, g.ints(1, 0, 2, 1)]));
built("Pad", "a constant, cropping too", [[3, 4]], (g, [x]) =>
  g.add("Pad", [x, g.ints(-1, 1, 2, -2), g.scalar("float64", 7)]),
);
built("Pad", "some axes", [[3, 4]], (g, [x]) => g.add("Pad", [x, g.ints(1, 2), "", g.ints(-1)]), {
  opset: 18,
});
built("Pad", "reflected", [[3, 4]], (g, [x]) => g.add("Pad", [x, g.ints(1, 0, 0, 2)], { mode: "reflect" }));
built("Pad", "edge", [[3, 4]], (g, [x]) => g.add("Pad", [x, g.ints(1, 0, 0, 2)], { mode: "edge" }));
const rows = (g: GraphBuilder) => g.constant("int64", [2, 3], [1, 0, 1, -1, 3, 1]);
built("Gather", "rows, repeated and negative", [[4, 2]], (g, [x]) => g.add("Gather", [x, rows(g)]));
built("Gather", "rows on a GPU", [[4, 2]], (g, [x]) => g.add("Gather", [x, rows(g)]), { device: "gpu" });
built("Gather", "rows by int32", [[4, 2]], (g, [x]) =>
  g.add("Gather", [x, g.constant("int32", [3], [2, 0, -2])]),
);
built("Gather", "rows of a 3-D table", [[4, 2, 3]], (g, [x]) => g.add("Gather", [x, rows(g)], { axis: -3 }));
built("Gather", "entries of a vector", [[4]], (g, [x]) => g.add("Gather", [x, rows(g)]));
built("Gather", "no rows", [[4, 2]], (g, [x]) => g.add("Gather", [x, g.constant("int64", [0], [])]));
built("Gather", "columns, repeated", [[2, 3]], (g, [x]) =>
  g.add("Gather", [x, g.ints(2, 0, 2)], { axis: -1 }),
);
for (const axis of [0, 1, -1])
  built("Gather", `one slice along axis ${axis}`, [[3, 4, 2]], (g, [x]) =>
    g.add("Gather", [x, g.scalar("int64", -1)], { axis }),
  );
built("GatherElements", "repeated", [[3, 4]], (g, [x]) =>
  g.add("GatherElements", [x, g.constant("int64", [2, 3], [0, 2, 0, 1, 1, -1])], { axis: 0 }),
);
built("GatherND", "pairs, repeated", [[3, 4]], (g, [x]) =>
  g.add("GatherND", [x, g.constant("int64", [3, 2], [0, 1, 2, 3, 0, 1])]),
);
built("GatherND", "in batches", [[2, 3, 2]], (g, [x]) =>
  g.add("GatherND", [x, g.constant("int64", [2, 1], [2, 0])], { batch_dims: 1 }),
);
const places = (g: GraphBuilder) => g.constant("int64", [2, 1], [2, 0]);
built(
  "ScatterND",
  "replaced rows",
  [
    [3, 4],
    [2, 4],
  ],
  (g, [x, u]) => g.add("ScatterND", [x, places(g), u]),
);
built(
  "ScatterND",
  "added rows",
  [
    [3, 4],
    [2, 4],
  ],
  (g, [x, u]) => g.add("ScatterND", [x, places(g), u], { reduction: "add" }),
);
const cells = (g: GraphBuilder) => g.constant("int64", [2, 2], [1, 0, 2, 2]);
built(
  "ScatterElements",
  "replaced cells",
  [
    [3, 4],
    [2, 2],
  ],
  (g, [x, u]) => g.add("ScatterElements", [x, cells(g), u]),
);
built(
  "ScatterElements",
  "added cells along axis 1",
  [
    [3, 4],
    [2, 2],
  ],
  (g, [x, u]) => g.add("ScatterElements", [x, cells(g), u], { axis: 1, reduction: "add" }),
);
const training = (g: GraphBuilder, on: number) => g.constant("bool", [], [on]);
built("Dropout", "not in training", [[3, 4]], (g, [x]) => g.add("Dropout", [x]));
built("Dropout", "training switched off", [[3, 4]], (g, [x]) =>
  g.add("Dropout", [x, g.scalar("float64", 0.4), training(g, 0)]),
);

export { cases };
