/** Elementwise operators, with every way to broadcast. */
import type { GraphBuilder } from "../../../src/onnx/builder.js";
import { caseList, positive } from "./case-list.js";

const { cases, direct, built } = caseList();

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
direct("Elu", "default α", [[3, 4]], {}, { type: "float32" });
direct("Elu", "α 0.3", [[3, 4]], { alpha: 0.3 }, { type: "float32" });
direct("com.microsoft::Gelu", "numbers of both signs", [[3, 4]], {}, { type: "float32", range: [-3, 3] });
direct("Gelu", "exact", [[3, 4]], {}, { type: "float32", range: [-3, 3], opset: 20 });
direct("Gelu", "by tanh", [[3, 4]], { approximate: "tanh" }, { type: "float32", range: [-3, 3], opset: 20 });
for (const op of ["Floor", "Ceil", "Round", "Sign"] as const)
  built(op, "lets nothing through", [[3, 4]], (g, [x]) =>
    g.add("Mul", [x, g.add(op, [g.add("Mul", [x, g.scalar("float64", 3)])])]),
  );

export { cases };
