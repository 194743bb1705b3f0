/** The autodiff room: from a forward graph to one that also computes gradients. */
export { checkGradients } from "./check.js";
export {
  type Differentiated,
  type DifferentiateOptions,
  differentiate,
  type RowGradient,
} from "./gradient.js";
export { type DifferentiableOperator, rules } from "./rules.js";
