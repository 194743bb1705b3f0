/**
 * Fits the scorer of the join: a network that ranks candidates, and a logistic regression over the evidence.
 */
import { fitLogistic } from "../../dist/match/weights/logistic.js";
import { createRandom, shuffle } from "../../dist/random.js";

/**
 * Learns to rank with Adam. The loss of a row is -ln p, where p is the probability of its correct candidates
 * in a softmax over all its candidates.
 *
 * @param rows one per right row: { features: Float32Array [candidates × features], right: boolean[] }
 */
export function fitScorer(rows, { features, hidden, epochs, rate, decay, batch, seed }) {
  const random = createRandom(seed);
  const size = hidden * (features + 2);
  const parameters = Float64Array.from({ length: size }, (_, index) => {
    const spread =
      index < hidden * features ? Math.sqrt(3 / features) : index < hidden * (features + 1) ? 0 : 1;
    return (2 * random() - 1) * spread;
  });
  const losses = descend(rows, parameters, { epochs, rate, decay, batch, random }, (row, gradient) =>
    addGradient(row, parameters, gradient, { features, hidden }),
  );
  const unit = (at) => Array.from(parameters.subarray(at * features, (at + 1) * features));
  return {
    scorer: {
      inputs: Array.from({ length: hidden }, (_, at) => unit(at)),
      hiddenBias: Array.from(parameters.subarray(hidden * features, hidden * (features + 1))),
      outputs: Array.from(parameters.subarray(hidden * (features + 1))),
    },
    losses,
  };
}

/**
 * Learns the weights of one additional feature, from 0, with the other weights of the network fixed. The
 * ranking of rows where the feature is 0 does not change.
 *
 * @param rows one per right row: { features: without the additional one, right: boolean[], late: the value of
 *   the additional feature per candidate }
 * @returns the weight of the feature for every hidden unit, and the loss without and with it
 */
export function fitLateFeature(rows, { inputs, hiddenBias, outputs }, { epochs, rate, decay, batch, seed }) {
  const hidden = outputs.length;
  const prepared = rows.map(({ features, right, late }) => {
    const width = inputs[0].length;
    const sums = Float64Array.from({ length: right.length * hidden }, (_, at) => {
      const [candidate, unit] = [Math.floor(at / hidden), at % hidden];
      return inputs[unit].reduce(
        (sum, weight, feature) => sum + weight * features[candidate * width + feature],
        hiddenBias[unit],
      );
    });
    return { sums, right, late };
  });
  const weights = new Float64Array(hidden);
  const gradientOf = (row, gradient) => addLateGradient(row, weights, gradient, outputs);
  const loss = () => average(prepared, (row) => gradientOf(row, new Float64Array(hidden)));
  const before = loss();
  descend(prepared, weights, { epochs, rate, decay, batch, random: createRandom(seed) }, gradientOf);
  return { weights: Array.from(weights), losses: [before, loss()] };
}

/**
 * Adam with cosine decay. `gradientOf` adds the gradient of a row and returns its loss. Returns the mean loss
 * per epoch.
 */
function descend(rows, parameters, { epochs, rate, decay, batch, random }, gradientOf) {
  const size = parameters.length;
  const [first, second] = [new Float64Array(size), new Float64Array(size)];
  const gradient = new Float64Array(size);
  const order = Int32Array.from(rows.keys());
  const steps = Math.ceil(rows.length / batch) * epochs;
  let step = 0;
  const losses = [];
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    let loss = 0;
    for (let from = 0; from < order.length; from += batch) {
      gradient.fill(0);
      const part = order.slice(from, from + batch);
      for (const row of part) loss += gradientOf(rows[row], gradient);
      step++;
      const now = rate * 0.5 * (1 + Math.cos((Math.PI * step) / steps));
      for (let index = 0; index < size; index++) {
        const slope = gradient[index] / part.length + 2 * decay * parameters[index];
        first[index] = 0.9 * first[index] + 0.1 * slope;
        second[index] = 0.999 * second[index] + 0.001 * slope * slope;
        const mean = first[index] / (1 - 0.9 ** step);
        parameters[index] -= (now * mean) / (Math.sqrt(second[index] / (1 - 0.999 ** step)) + 1e-8);
      }
    }
    losses.push(loss / rows.length);
  }
  return losses;
}

/** Candidates with a smaller gradient are skipped to save time. */
const negligible = 1e-5;

/** Adds the gradient of the loss of one row and returns the loss. */
function addGradient({ features: values, right }, parameters, gradient, { features, hidden }) {
  const count = right.length;
  const states = new Float64Array(count * hidden);
  const scores = new Float64Array(count);
  const [biases, outputs] = [hidden * features, hidden * (features + 1)];
  for (let candidate = 0; candidate < count; candidate++) {
    for (let unit = 0; unit < hidden; unit++) {
      let sum = parameters[biases + unit];
      for (let feature = 0; feature < features; feature++)
        sum += parameters[unit * features + feature] * values[candidate * features + feature];
      const state = Math.tanh(sum);
      states[candidate * hidden + unit] = state;
      scores[candidate] += parameters[outputs + unit] * state;
    }
  }
  const { slopes, loss } = rankingLoss(scores, right);
  for (let candidate = 0; candidate < count; candidate++) {
    const slope = slopes[candidate];
    if (Math.abs(slope) < negligible) continue;
    for (let unit = 0; unit < hidden; unit++) {
      const state = states[candidate * hidden + unit];
      gradient[outputs + unit] += slope * state;
      const inner = slope * parameters[outputs + unit] * (1 - state * state);
      gradient[biases + unit] += inner;
      for (let feature = 0; feature < features; feature++)
        gradient[unit * features + feature] += inner * values[candidate * features + feature];
    }
  }
  return loss;
}

/** Adds the gradient by the weights of the additional feature (see fitLateFeature) and returns the loss. */
function addLateGradient({ sums, right, late }, weights, gradient, outputs) {
  const hidden = weights.length;
  const states = sums.map((sum, at) => Math.tanh(sum + weights[at % hidden] * late[Math.floor(at / hidden)]));
  const scores = late.map((_, candidate) =>
    outputs.reduce((sum, output, unit) => sum + output * states[candidate * hidden + unit], 0),
  );
  const { slopes, loss } = rankingLoss(scores, right);
  late.forEach((value, candidate) => {
    const slope = slopes[candidate] * value;
    if (Math.abs(slope) < negligible) return;
    for (let unit = 0; unit < hidden; unit++)
      gradient[unit] += slope * outputs[unit] * (1 - states[candidate * hidden + unit] ** 2);
  });
  return loss;
}

/** The loss of a row, -ln p of its correct candidates, and its derivative by each score. */
function rankingLoss(scores, right) {
  const highest = Math.max(...scores);
  const exponentials = Float64Array.from(scores, (score) => Math.exp(score - highest));
  let [all, correct] = [0, 0];
  exponentials.forEach((value, candidate) => {
    all += value;
    if (right[candidate]) correct += value;
  });
  const safe = Math.max(correct, 1e-300);
  const slopes = exponentials.map((value, candidate) => value / all - (right[candidate] ? value / safe : 0));
  return { slopes, loss: Math.log(all) - Math.log(safe) };
}

/**
 * Logistic regression by Newton's method, with an L2 penalty `ridge` on standardised inputs.
 *
 * @param points { evidence: number[], right: boolean }[]
 */
export function fitEstimate(points, { ridge }) {
  const width = points[0].evidence.length;
  const mean = column(width, (at) => average(points, ({ evidence }) => evidence[at]));
  const spread = column(
    width,
    (at) => Math.sqrt(average(points, ({ evidence }) => (evidence[at] - mean[at]) ** 2)) || 1,
  );
  const inputs = points.map(({ evidence }) => [
    1,
    ...evidence.map((value, at) => (value - mean[at]) / spread[at]),
  ]);
  const answers = points.map(({ right }, row) => ({
    features: inputs[row],
    offset: 0,
    answer: right ? 1 : 0,
  }));
  const weights = Array.from(fitLogistic(answers, [0, ...mean.map(() => ridge)]));
  const plain = weights.slice(1).map((weight, at) => weight / spread[at]);
  return { bias: weights[0] - plain.reduce((sum, weight, at) => sum + weight * mean[at], 0), weights: plain };
}

const column = (width, value) => Array.from({ length: width }, (_, at) => value(at));
const average = (items, value) => items.reduce((sum, item) => sum + value(item), 0) / items.length;
