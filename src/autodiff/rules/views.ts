/** Derivatives of operators that move, select or copy elements, and of casts and dropout. */
import { intAttribute, intsAttribute, stringAttribute } from "../../onnx/model.js";
import { typeCode } from "../../onnx/tensor.js";
import type { Rule, Site } from "../site.js";

/** Adds `updates` to zeros in the shape of x at flat positions, which may repeat. */
const scatter = (s: Site, x: string, positions: string, updates: string): string => {
  const zeros = s.expand(s.number(0), s.reshape(s.size(x), s.ints(1)));
  const parts = [zeros, s.flatten(positions), s.flatten(updates)];
  return s.reshape(s.op("ScatterElements", parts, { axis: 0, reduction: "add" }), s.shape(x));
};

/** An operator that only picks elements of x: applied to 0, 1, 2, ... it gives the position of each element picked. */
const view: Rule = (s, x, ...others) => [
  () => {
    const positions = s.reshape(s.range(s.size(x)), s.shape(x));
    return scatter(s, x, s.op(s.node.op, [positions, ...others], s.node.attributes), s.dy);
  },
];

const reshaped: Rule = (s, x) => [() => s.reshape(s.dy, s.shape(x))];

/**
 * Up to this number, rows of a table are read so often that a GPU's atomic additions wait for each other: for the types of
 * 4,096 tokens 14 ms, where a product takes 0.1 (NVIDIA H200).
 */
const fewRows = 64;

/** Sums of dy's rows by index: a product with the matrix [rows, indices] of ones and zeros. */
const sumsByIndex = (s: Site, table: string, indices: string): string => {
  const [rows] = s.dims(table);
  const column = s.op("Reshape", [s.op("Cast", [indices], { to: typeCode("int64") }), s.ints(-1, 1)]);
  const positive = s.op("Mod", [s.add(column, s.ints(rows)), s.ints(rows)]);
  const numbers = s.ints(...Array.from({ length: rows }, (_, row) => row));
  const hits = s.transpose(s.cast(s.op("Equal", [positive, numbers]), table), [1, 0]);
  const updates = s.op("Flatten", [s.dy], { axis: s.rank(indices) });
  return s.op("Reshape", [s.op("MatMul", [hits, updates]), s.ints(...s.dims(table))]);
};

/** Rows of a table, embeddings above all: each row's gradients add up. */
const gatherRows: Rule = (s, table, indices) => [
  () => {
    if (s.device === "gpu" && s.isStored(table) && s.dims(table)[0] <= fewRows)
      return sumsByIndex(s, table, indices);
    const rows = s.op("Cast", [indices], { to: typeCode("int64") });
    const column = s.op("Unsqueeze", [rows, s.ints(-1)]);
    if (s.device === "gpu") return s.op("ScatterND", [s.zeros(table), column, s.dy], { reduction: "add" });
    // ORT's CPU ScatterND adds rows in parallel without locks and loses some where a row repeats.
    const width = s.op("ReduceProd", [s.op("Shape", [table], { start: 1 })], { keepdims: 0 });
    return scatter(s, table, s.add(s.mul(column, width), s.range(width)), s.dy);
  },
];

/** One slice along an axis: the gradient at the index, zeros elsewhere. */
const gatherOne = (s: Site, x: string, index: string, axis: number): string => {
  const size = s.op("Shape", [x], { start: axis, end: axis + 1 });
  const end = s.op("Squeeze", [size]);
  const number = s.op("Cast", [index], { to: typeCode("int64") });
  const positive = s.op("Mod", [s.add(number, end), end]);
  const ones = Array.from({ length: s.rank(x) - axis - 1 }, () => 1);
  const hit = s.op("Equal", [s.reshape(s.range(end), s.ints(-1, ...ones)), positive]);
  return s.where(hit, s.op("Unsqueeze", [s.dy, s.ints(axis)]), s.number(0));
};

const gather: Rule = (s, x, indices) => {
  const axis = s.axis(intAttribute(s.node, "axis", 0), x);
  if (s.rank(indices) === 0) return [() => gatherOne(s, x, indices, axis)];
  return axis === 0 ? gatherRows(s, x, indices) : view(s, x, indices);
};

const sizesAlong = (s: Site, values: readonly string[], axis: number): string =>
  s.op(
    "Concat",
    values.map((value) => s.op("Shape", [value], { start: axis, end: axis + 1 })),
    { axis: 0 },
  );

const concat: Rule = (s, ...inputs) => {
  const axis = s.axis(intAttribute(s.node, "axis", 0), s.y);
  let parts: string[] | undefined;
  const split = () => s.many("Split", [s.dy, sizesAlong(s, inputs, axis)], inputs.length, { axis });
  return inputs.map((_, i) => () => {
    parts ??= split();
    return parts[i];
  });
};

const split: Rule = (s) => [
  () => {
    const parts = s.node.outputs.map((output, i) => s.gradients[i] ?? s.zeros(output));
    return s.op("Concat", parts, { axis: intAttribute(s.node, "axis", 0) });
  },
];

/** Negative padding crops: it undoes constant padding, and cropping too. */
const pad: Rule = (s, x, pads, ...others) => {
  if (stringAttribute(s.node, "mode", "constant") !== "constant") return view(s, x, pads, ...others);
  const axes = others[1] ? [others[1]] : [];
  return [() => s.op("Pad", [s.dy, s.neg(pads), s.number(0), ...axes])];
};

const scatterRule =
  (
    pick: (s: Site, indices: string) => string,
    keep: (s: Site, indices: string, updates: string) => string,
  ): Rule =>
  (s, _x, indices, updates) => {
    const how = stringAttribute(s.node, "reduction", "none");
    if (how !== "none" && how !== "add") throw s.unsupported(`its reduction is ${how}`);
    return [() => (how === "add" ? s.dy : keep(s, indices, updates)), undefined, () => pick(s, indices)];
  };

const axisOf = (s: Site) => ({ axis: intAttribute(s.node, "axis", 0) });

export const views = {
  Identity: (s) => [() => s.dy],
  Cast: (s, x) => [() => s.cast(s.dy, x)],
  /** Of its second input only the type is used. */
  CastLike: (s, x) => [() => s.cast(s.dy, x), null],
  Reshape: reshaped,
  Flatten: reshaped,
  Squeeze: reshaped,
  Unsqueeze: reshaped,
  Transpose: (s, x) => {
    const reversed = s.dims(x).map((_, axis) => s.rank(x) - 1 - axis);
    const perm = intsAttribute(s.node, "perm") ?? reversed;
    return [
      () =>
        s.transpose(
          s.dy,
          perm.map((_, axis) => perm.indexOf(axis)),
        ),
    ];
  },
  Expand: (s, x) => [() => s.sumTo(s.dy, s.dims(s.y), s.dims(x))],
  Concat: concat,
  Split: split,
  Slice: view,
  Tile: view,
  Pad: pad,
  Gather: gather,
  GatherND: view,
  GatherElements: (s, x, indices) => [
    () => s.op("ScatterElements", [s.zeros(x), indices, s.dy], { ...axisOf(s), reduction: "add" }),
  ],
  ScatterND: scatterRule(
    (s, indices) => s.op("GatherND", [s.dy, indices]),
    (s, indices, updates) => s.op("ScatterND", [s.dy, indices, s.zeros(updates)]),
  ),
  ScatterElements: scatterRule(
    (s, indices) => s.op("GatherElements", [s.dy, indices], axisOf(s)),
    (s, indices, updates) => s.op("ScatterElements", [s.dy, indices, s.zeros(updates)], axisOf(s)),
  ),
  /** y = x mask / (1 - ratio) in training, else x; the forward pass's mask is used again. */
  Dropout: (s, x, ratio, training) => [
    () => {
      if (!training) return s.dy;
      const kept = ratio ? s.cast(ratio, x) : s.number(0.5);
      const scale = s.div(s.number(1), s.sub(s.number(1), kept));
      return s.where(s.output(1), s.mul(s.dy, s.where(training, scale, s.number(1))), s.number(0));
    },
  ],
} satisfies Record<string, Rule>;
