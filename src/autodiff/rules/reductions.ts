/** Derivatives of reductions, of softmax and of layer normalisation. */
import { intAttribute, intsAttribute } from "../../onnx/model.js";
import type { Rule, Site } from "../site.js";

/** Gives a value of the output's shape its reduced axes back, as size 1. */
type Keep = (value: string) => string;

/** A rule from the gradient's formula, which may give any shape that broadcasts to the input's by `Mul`. */
const reduction =
  (formula: (s: Site, x: string, keep: Keep, axes: readonly number[]) => string): Rule =>
  (s, x, axesInput) => {
    // axes are an attribute, and an input since opset 13 (ReduceSum) or 18 (the others)
    const given = axesInput ? s.constant(axesInput) : (intsAttribute(s.node, "axes") ?? []);
    if (!given) throw s.unsupported("its axes are known only at run time");
    const none = given.length === 0 && intAttribute(s.node, "noop_with_empty_axes", 0) === 1;
    const all = given.length === 0 && !none;
    const axes = all ? s.dims(x).map((_, axis) => axis) : given.map((axis) => s.axis(axis, x));
    // a scalar broadcasts as it is
    const kept = s.rank(s.y) === 0 || axes.length === 0 || intAttribute(s.node, "keepdims", 1) === 1;
    const keep: Keep = (value) => (kept ? value : s.op("Unsqueeze", [value, s.ints(...axes)]));
    return [() => formula(s, x, keep, axes)];
  };

const spread = (s: Site, value: string, x: string): string => s.expand(value, s.shape(x));

/** The gradient goes to the extreme entries, in equal shares where several are. */
const extremum = reduction((s, x, keep, axes) => {
  const hit = s.cast(s.op("Equal", [x, keep(s.y)]), x);
  return s.mul(hit, s.div(keep(s.dy), s.reduce("ReduceSum", hit, axes)));
});

/**
 * LayerNormalization normalises over all axes from `axis` on: y = x̂ scale + bias, x̂ = (x - mean) / deviation.
 * dx = (dn - mean(dn) - x̂ mean(dn x̂)) / deviation with dn = dy scale; dy x̂ serves dx and the scale's gradient.
 */
const layerNormalization: Rule = (s, x, scale, bias) => {
  if (s.gradients[1] || s.gradients[2]) throw s.unsupported("its mean or deviation is used elsewhere");
  const first = s.axis(intAttribute(s.node, "axis", -1), x);
  const axes = s.dims(x).flatMap((_, axis) => (axis >= first ? [axis] : []));
  const inverseDeviation = s.output(2);
  const normal = () => s.mul(s.sub(x, s.output(1)), inverseDeviation);
  const product = () => s.mul(s.dy, normal());
  // over one axis the mean of value · scale is a product with a vector, which reads the value once
  const width = s.dims(x)[s.rank(x) - 1];
  const vector = axes.length === 1 && s.rank(scale) === 1 && s.dims(scale)[0] === width && width > 0;
  const scaledMean = (value: string) =>
    vector
      ? s.op("MatMul", [value, s.op("Unsqueeze", [s.mul(scale, s.number(1 / width)), s.ints(1)])])
      : s.reduce("ReduceMean", s.mul(value, scale), axes);
  return [
    () => {
      const rest = s.sub(s.mul(s.dy, scale), scaledMean(s.dy));
      return s.mul(s.sub(rest, s.mul(normal(), scaledMean(product()))), inverseDeviation);
    },
    () => s.sumTo(product(), s.dims(x), s.dims(scale)),
    () => s.sumTo(s.dy, s.dims(x), s.dims(bias)),
  ];
};

const sumAlong = (s: Site, value: string): string =>
  s.reduce("ReduceSum", value, [s.axis(intAttribute(s.node, "axis", -1), s.y)]);

export const reductions = {
  ReduceSum: reduction((s, x, keep) => spread(s, keep(s.dy), x)),
  ReduceMean: reduction((s, x, keep, axes) => {
    // counted on the GPU, to which a number from the host is one more upload
    if (s.device === "gpu") {
      const ones = spread(s, s.number(1), x);
      return s.div(spread(s, keep(s.dy), x), s.reduce("ReduceSum", ones, axes));
    }
    // sizes as floats: integer division by the size of an empty tensor would end the process
    const share = s.div(s.cast(s.size(s.y), s.y), s.cast(s.size(x), s.y));
    return spread(s, s.mul(keep(s.dy), share), x);
  }),
  ReduceMax: extremum,
  ReduceMin: extremum,
  ReduceL1: reduction((s, x, keep) => s.mul(s.op("Sign", [x]), keep(s.dy))),
  /** x / |x|, and 0 for a zero vector, as in PyTorch. */
  ReduceL2: reduction((s, x, keep) => {
    const length = s.op("Max", [keep(s.y), s.number(1e-30)]);
    return s.mul(x, s.div(keep(s.dy), length));
  }),
  ReduceSumSquare: reduction((s, x, keep) => s.mul(x, s.mul(keep(s.dy), s.number(2)))),
  ReduceLogSumExp: reduction((s, x, keep) => s.mul(s.op("Exp", [s.sub(x, keep(s.y))]), keep(s.dy))),
  Softmax: (s) => [
    () => {
      const weighted = s.mul(s.dy, s.y);
      return s.sub(weighted, s.mul(s.y, sumAlong(s, weighted)));
    },
  ],
  LogSoftmax: (s) => [() => s.sub(s.dy, s.mul(s.op("Exp", [s.y]), sumAlong(s, s.dy)))],
  LayerNormalization: layerNormalization,
} satisfies Record<string, Rule>;
