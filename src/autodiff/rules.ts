/** The derivative of every operator that pearl can train through: one row each, by family. */
import { elementwise } from "./rules/elementwise.js";
import { linearAlgebra } from "./rules/linear-algebra.js";
import { reductions } from "./rules/reductions.js";
import { views } from "./rules/views.js";
import type { Rule } from "./site.js";

/** By operator name, with its domain before "::" where that is not ONNX's own. */
export const rules = {
  ...elementwise,
  ...linearAlgebra,
  ...reductions,
  ...views,
} satisfies Record<string, Rule>;

export type DifferentiableOperator = keyof typeof rules;
