/** Operators that move entries without changing them. */
import type { GraphBuilder } from "../../../src/onnx/builder.js";
import { caseList, float32 } from "./case-list.js";

const { cases, direct, built } = caseList();

built("Identity", "used twice", [[2, 3]], (g, [x]) => g.add("Mul", [g.add("Identity", [x]), x]));
built(
  "Cast",
  "to double and back",
  [[2, 3]],
  (g, [x]) => g.add("Cast", [g.add("Exp", [g.add("Cast", [x], { to: 11 })])], { to: 1 }),
  float32,
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
for (const [size, count] of [
  ["few", 4],
  ["many", 70],
] as const)
  built("Gather", `${size} rows on a GPU`, [[count, 2]], (g, [x]) => g.add("Gather", [x, rows(g)]), {
    device: "gpu",
  });
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
built("Gather", "one slice by int32", [[3, 4]], (g, [x]) =>
  g.add("Gather", [x, g.scalar("int32", -2)], { axis: 0 }),
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
