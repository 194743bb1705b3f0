/**
 * Limited-memory BFGS with step halving (Nocedal and Wright, 2006, "Numerical Optimization", algorithms 7.4 and 3.1), for
 * convex functions of many variables.
 */
export interface Point {
  readonly value: number;
  readonly gradient: Float64Array;
}

interface Pair {
  /** Last change of the variables and of the gradient, and 1 / their product. */
  readonly moved: Float64Array;
  readonly bent: Float64Array;
  readonly rho: number;
}

const MEMORY = 10;
const MOST_STEPS = 500;

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** @param tolerance largest absolute gradient at the end */
export function minimise(
  evaluate: (at: Float64Array) => Point,
  start: Float64Array,
  tolerance = 1e-4,
): Float64Array {
  let at = start;
  let point = evaluate(at);
  const pairs: Pair[] = [];
  for (let step = 0; step < MOST_STEPS; step++) {
    const { gradient, value } = point;
    if (gradient.every((own) => Math.abs(own) <= tolerance)) break;
    const direction = descent(gradient, pairs);
    const slope = dot(direction, gradient);
    let size = pairs.length === 0 ? 1 / Math.sqrt(-slope) : 1;
    const moveBy = (factor: number) => at.map((own, i) => own + factor * direction[i]);
    let next = evaluate(moveBy(size));
    while (!(next.value <= value + 1e-4 * size * slope) && size > 1e-12) {
      size /= 2;
      next = evaluate(moveBy(size));
    }
    if (size <= 1e-12) break;
    const moved = direction.map((own) => size * own);
    const bent = next.gradient.map((own, i) => own - gradient[i]);
    const curvature = dot(moved, bent);
    if (curvature > 0) pairs.push({ moved, bent, rho: 1 / curvature });
    if (pairs.length > MEMORY) pairs.shift();
    at = moveBy(size);
    point = next;
  }
  return at;
}

/** Minus the gradient times the inverse Hessian that the pairs tell. */
function descent(gradient: Float64Array, pairs: readonly Pair[]): Float64Array {
  const found = gradient.map((own) => -own);
  const add = (factor: number, vector: Float64Array): void => {
    for (let i = 0; i < found.length; i++) found[i] += factor * vector[i];
  };
  const alphas = pairs.toReversed().map(({ moved, bent, rho }) => {
    const alpha = rho * dot(moved, found);
    add(-alpha, bent);
    return alpha;
  });
  const last = pairs.at(-1);
  if (last) {
    const scale = 1 / (last.rho * dot(last.bent, last.bent));
    for (let i = 0; i < found.length; i++) found[i] *= scale;
  }
  pairs.forEach(({ moved, bent, rho }, i) => {
    add(alphas[pairs.length - 1 - i] - rho * dot(bent, found), moved);
  });
  return found;
}
