/** Derivatives of matrix products and of convolution over one dimension. */
import { floatAttribute, intAttribute, intsAttribute, stringAttribute } from "../../onnx/model.js";
import type { Rule, Site } from "../site.js";

const swapped = (s: Site, value: string, rank: number): string => {
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  return s.transpose(value, [...axes.slice(0, -2), rank - 1, rank - 2]);
};

/** y = a b: da = dy bᵀ, db = aᵀ dy, summed over batch axes that were broadcast. */
const matMul: Rule = (s, a, b) => {
  if (s.rank(a) >= 2 && s.rank(b) === 2) return matMulByMatrix(s, a, b);
  const [rowVector, columnVector] = [s.rank(a) === 1, s.rank(b) === 1];
  const left = rowVector ? s.op("Unsqueeze", [a, s.ints(0)]) : a;
  const right = columnVector ? s.op("Unsqueeze", [b, s.ints(1)]) : b;
  // the axes that the vectors' product lacks, put back: [..., m, n]
  const lost = [...(rowVector ? [-2] : []), ...(columnVector ? [-1] : [])];
  const dy = lost.length === 0 ? s.dy : s.op("Unsqueeze", [s.dy, s.ints(...lost)]);
  const batch = s.dims(s.y).slice(0, Math.max(0, s.rank(s.y) - 2 + lost.length));
  const [dimsA, dimsB] = [
    rowVector ? [1, ...s.dims(a)] : s.dims(a),
    columnVector ? [...s.dims(b), 1] : s.dims(b),
  ];
  return [
    () => {
      const product = s.op("MatMul", [dy, swapped(s, right, dimsB.length)]);
      const sum = s.sumTo(product, [...batch, ...dimsA.slice(-2)], dimsA);
      return rowVector ? s.op("Squeeze", [sum, s.ints(0)]) : sum;
    },
    () => {
      const product = s.op("MatMul", [swapped(s, left, dimsA.length), dy]);
      const sum = s.sumTo(product, [...batch, ...dimsB.slice(-2)], dimsB);
      return columnVector ? s.op("Squeeze", [sum, s.ints(1)]) : sum;
    },
  ];
};

/**
 * aᵀ b of matrices with many rows, a weight's gradient. ONNX Runtime's CPU product is a fifth faster where the
 * narrower of the two is turned beforehand, and its turned form often serves several weights.
 */
const overRows = (s: Site, a: string, b: string, [widthA, widthB]: readonly [number, number]): string => {
  if (s.device === "gpu") return s.op("Gemm", [a, b], { transA: 1 });
  const turned = (value: string) => s.transpose(value, [1, 0]);
  return widthA <= widthB ? s.op("MatMul", [turned(a), b]) : turned(s.op("MatMul", [turned(b), a]));
};

/**
 * [..., m, k] × [k, n], a linear layer: with the leading axes flattened each gradient is one Gemm. On a GPU the gradient
 * of a is a product with b turned beforehand: WebGPU's Gemm that turns it takes three times as long (NVIDIA H200).
 */
const matMulByMatrix: Rule = (s, a, b) => {
  const rows = (value: string) =>
    s.rank(a) === 2 ? value : s.op("Flatten", [value], { axis: s.rank(a) - 1 });
  return [
    () => {
      if (s.device === "gpu") return s.op("MatMul", [s.dy, s.transpose(b, [1, 0])]);
      const da = s.op("Gemm", [rows(s.dy), b], { transB: 1 });
      return s.rank(a) === 2 ? da : s.reshape(da, s.shape(a));
    },
    () => overRows(s, rows(a), rows(s.dy), [s.dims(b)[0], s.dims(b)[1]]),
  ];
};

/** y = α a' b' + β c, where ' may transpose. */
const gemm: Rule = (s, a, b, c) => {
  const [transA, transB] = [intAttribute(s.node, "transA", 0), intAttribute(s.node, "transB", 0)];
  const alpha = floatAttribute(s.node, "alpha", 1);
  const beta = floatAttribute(s.node, "beta", 1);
  const product = (x: string, y: string, flipX: number, flipY: number) =>
    s.op("Gemm", [x, y], { alpha, transA: flipX, transB: flipY });
  const [rows, columns] = s.dims(b);
  const db = () => {
    // a linear layer as src/nn and PyTorch write it
    if (transB && !transA && alpha === 1) return overRows(s, s.dy, a, [rows, columns]);
    return transB ? product(s.dy, a, 1, transA) : product(a, s.dy, 1 - transA, 0);
  };
  return [
    () => (transA ? product(b, s.dy, transB, 1) : product(s.dy, b, 0, 1 - transB)),
    db,
    () => s.sumTo(beta === 1 ? s.dy : s.mul(s.dy, s.number(Math.fround(beta))), s.dims(s.y), s.dims(c)),
  ];
};

/**
 * Convolution of [batch, channels, length] with [filters, channels, width]: dx is the transposed convolution;
 * dw convolves x with dy, with batch and channels swapped, and stride and dilation swapped.
 */
const conv: Rule = (s, x, w) => {
  if (s.rank(x) !== 3) throw s.unsupported(`it works over ${s.rank(x) - 2} dimensions, not one`);
  if (intAttribute(s.node, "group", 1) !== 1) throw s.unsupported("it has groups");
  const automatic = stringAttribute(s.node, "auto_pad", "NOTSET");
  if (automatic.startsWith("SAME")) throw s.unsupported(`its padding is automatic (${automatic})`);
  const strides = intsAttribute(s.node, "strides") ?? [1];
  const dilations = intsAttribute(s.node, "dilations") ?? [1];
  const pads = intsAttribute(s.node, "pads") ?? [0, 0];
  return [
    () => {
      if (strides[0] === 1) return s.op("ConvTranspose", [s.dy, w], { dilations, pads });
      // the last window may end before the padded input does: the rest of x got no gradient
      const dx = s.op("ConvTranspose", [s.dy, w], { strides, dilations, pads: [pads[0], 0] });
      const rest = s.sub(s.shape(x), s.shape(dx));
      return s.op("Pad", [dx, s.op("Concat", [s.ints(0, 0, 0), rest], { axis: 0 }), s.number(0)]);
    },
    () => {
      const turned = [s.transpose(x, [1, 0, 2]), s.transpose(s.dy, [1, 0, 2])];
      const dw = s.op("Conv", turned, { strides: dilations, dilations: strides, pads });
      const whole =
        strides[0] === 1 ? dw : s.op("Slice", [dw, s.ints(0), s.op("Shape", [w], { start: 2 }), s.ints(2)]);
      return s.transpose(whole, [1, 0, 2]);
    },
    () => s.reduce("ReduceSum", s.dy, [0, 2], 0),
  ];
};

/** Of two inputs: each gradient is an Einsum of the output's gradient with the other input. */
const einsum: Rule = (s, ...inputs) => {
  const equation = stringAttribute(s.node, "equation", "").replaceAll(" ", "");
  const [, a, b, y] = /^([a-zA-Z]+),([a-zA-Z]+)->([a-zA-Z]*)$/.exec(equation) ?? [];
  if (y === undefined || [a, b, y].some((axes) => new Set(axes).size < axes.length))
    throw s.unsupported(`its equation is ${equation}`);
  const gradient = (own: string, other: string, value: string) => {
    if ([...own].some((axis) => !y.includes(axis) && !other.includes(axis)))
      throw s.unsupported(`it sums an axis of one input alone (${equation})`);
    return s.op("Einsum", [s.dy, value], { equation: `${y},${other}->${own}` });
  };
  return [() => gradient(a, b, inputs[1]), () => gradient(b, a, inputs[0])];
};

export const linearAlgebra = { MatMul: matMul, Gemm: gemm, Conv: conv, Einsum: einsum } satisfies Record<
  string,
  Rule
>;
