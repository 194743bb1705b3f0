/**
 * The autodiff room: from a forward graph to one that also computes gradients. To be read in this order:
 * site.ts (what a rule is and works with), rules/ (the derivatives), gradient.ts (the walk that applies them),
 * check.ts (the numeric judge).
 *
 *     const shapes = await observeShapes(model, feeds, runOnce);
 *     const { model: trained, gradients } = differentiate(model, { loss: "loss", shapes });
 */
export { checkGradients } from "./check.js";
export {
  type Differentiated,
  type DifferentiateOptions,
  differentiate,
  type RowGradient,
} from "./gradient.js";
export { type DifferentiableOperator, rules } from "./rules.js";
