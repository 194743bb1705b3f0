/** Derivatives of operators that work element by element, with broadcasting. */
import { floatAttribute, stringAttribute } from "../../onnx/model.js";
import { broadcasting, flat, type Rule } from "../site.js";

/** Max and Min: the gradient goes to the largest input, in equal shares where several are. */
const extremum: Rule = broadcasting((s, ...inputs) => {
  const hit = (x: string) => s.cast(s.op("Equal", [x, s.y]), s.y);
  const share = () => (inputs.length === 1 ? s.dy : s.div(s.dy, inputs.map(hit).reduce(s.add)));
  return inputs.map((x) => () => s.mul(share(), hit(x)));
});

/**
 * x Φ(x) with the standard normal distribution Φ and density φ: Φ + x φ. With u = x/√2 these are Φ = ½ erf u + ½,
 * which HardSigmoid computes in one pass, and x φ = u exp(-u² - ln √π). The forward pass hands u and Φ on.
 */
const gelu: Rule = (s, x) => [
  () => {
    const u = s.ahead("Mul", [x, s.number(Math.SQRT1_2)]);
    const distribution = s.ahead("HardSigmoid", [s.ahead("Erf", [u])], { alpha: 0.5, beta: 0.5 });
    s.become("Mul", [x, distribution]);
    const density = s.op("Exp", [s.sub(s.number(-Math.log(Math.PI) / 2), s.mul(u, u))]);
    return s.mul(s.dy, s.add(distribution, s.mul(u, density)));
  },
];

/** x (1 + tanh u) / 2 with u = √(2/π) (x + 0.044715 x³). */
const geluTanh: Rule = (s, x) => [
  () => {
    const [c, k] = [Math.sqrt(2 / Math.PI), 0.044715];
    const square = s.mul(x, x);
    const u = s.mul(s.mul(x, s.number(c)), s.add(s.mul(square, s.number(k)), s.number(1)));
    const t = s.op("Tanh", [u]);
    const du = s.add(s.mul(square, s.number(3 * c * k)), s.number(c));
    const slope = s.mul(s.mul(x, du), s.sub(s.number(1), t)); // x u' (1 - t)
    return s.mul(s.mul(s.dy, s.number(0.5)), s.mul(s.add(t, s.number(1)), s.add(slope, s.number(1))));
  },
];

export const elementwise = {
  Add: broadcasting((s) => [() => s.dy, () => s.dy]),
  Sub: broadcasting((s) => [() => s.dy, () => s.neg(s.dy)]),
  Mul: broadcasting((s, a, b) => [() => s.mul(s.dy, b), () => s.mul(s.dy, a)]),
  Div: broadcasting((s, _a, b) => [() => s.div(s.dy, b), () => s.neg(s.mul(s.div(s.dy, b), s.y))]),
  Pow: broadcasting((s, x, p) => [
    () => {
      const exponent = s.type(p) === s.type(x) ? p : s.cast(p, x);
      const square = s.constant(p)?.every((value) => value === 2);
      const power = square ? x : s.op("Pow", [x, s.sub(exponent, s.number(1))]);
      return s.mul(s.dy, s.mul(power, square ? s.number(2) : exponent));
    },
    // 0^p stays 0 for p > 0, where the formula's log would give NaN
    () => s.mul(s.mul(s.dy, s.y), s.where(s.op("Greater", [x, s.number(0)]), s.op("Log", [x]), s.number(0))),
  ]),
  Max: extremum,
  Min: extremum,
  Sum: broadcasting((s, ...inputs) => inputs.map(() => () => s.dy)),
  Where: broadcasting((s, condition) => [
    undefined,
    () => s.where(condition, s.dy, s.number(0)),
    () => s.where(condition, s.number(0), s.dy),
  ]),
  /** The limits count as inside, as in PyTorch. */
  Clip: (s, x) => [() => s.where(s.op("Equal", [x, s.y]), s.dy, s.number(0))],
  Neg: (s) => [() => s.neg(s.dy)],
  Abs: (s, x) => [() => s.mul(s.dy, s.op("Sign", [x]))],
  Reciprocal: (s) => [() => s.neg(s.mul(s.dy, s.mul(s.y, s.y)))],
  Sqrt: (s) => [() => s.div(s.mul(s.dy, s.number(0.5)), s.y)],
  Exp: (s) => [() => s.mul(s.dy, s.y)],
  Log: (s, x) => [() => s.div(s.dy, x)],
  Sin: (s, x) => [() => s.mul(s.dy, s.op("Cos", [x]))],
  Cos: (s, x) => [() => s.neg(s.mul(s.dy, s.op("Sin", [x])))],
  /** 2/√π exp(-x²) */
  Erf: (s, x) => [
    () => s.mul(s.dy, s.op("Exp", [s.sub(s.number(Math.log(2 / Math.sqrt(Math.PI))), s.mul(x, x))])),
  ],
  Tanh: (s) => [() => s.mul(s.dy, s.sub(s.number(1), s.mul(s.y, s.y)))],
  Sigmoid: (s) => [() => s.mul(s.dy, s.mul(s.y, s.sub(s.number(1), s.y)))],
  Softplus: (s, x) => [() => s.mul(s.dy, s.op("Sigmoid", [x]))],
  Relu: (s) => [() => s.where(s.op("Greater", [s.y, s.number(0)]), s.dy, s.number(0))],
  LeakyRelu: (s, x) => [
    () => {
      const slope = s.number(Math.fround(floatAttribute(s.node, "alpha", 0.01)));
      return s.where(s.op("Greater", [x, s.number(0)]), s.dy, s.mul(s.dy, slope));
    },
  ],
  /** 1 above 0, α exp x = y + α below. */
  Elu: (s, x) => [
    () => {
      const below = s.add(s.y, s.number(Math.fround(floatAttribute(s.node, "alpha", 1))));
      return s.mul(s.dy, s.where(s.op("Greater", [x, s.number(0)]), s.number(1), below));
    },
  ],
  Gelu: (s, x) => (stringAttribute(s.node, "approximate", "none") === "tanh" ? geluTanh(s, x) : gelu(s, x)),
  "com.microsoft::Gelu": gelu,
  Floor: flat,
  Ceil: flat,
  Round: flat,
  Sign: flat,
} satisfies Record<string, Rule>;
