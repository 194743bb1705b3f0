/**
 * Trains a custom graph with a custom loss: a plane through noisy points.
 * Run: node examples/train-own-graph.mjs
 */
import { createNet, createRandom, fromSeed, linear, tensor, train } from "pearl-embeddings/train";

// the graph: two inputs, one output, and a loss that is robust to outliers (the smooth form of Huber's loss)
const net = createNet(fromSeed(0));
const { g } = net;
const x = g.input("x", "float32", ["rows", 2]);
const y = g.input("y", "float32", ["rows", 1]);
const guess = linear(net, x, { name: "line", inputs: 2, outputs: 1 });
const error = g.add("Sub", [guess, y]);
const one = g.weight("one", tensor("float32", [], [1]));
const root = g.add("Sqrt", [g.add("Add", [g.add("Mul", [error, error]), one])]);
g.output("loss", g.add("ReduceMean", [g.add("Sub", [root, one])], { keepdims: 0 }));

// the data: y = 3 a - 2 b + noise; a batch depends only on its index, so that a run can resume
function points(rows, seed) {
  const random = createRandom(seed);
  const inputs = Array.from({ length: rows * 2 }, () => 2 * random() - 1);
  const targets = Array.from(
    { length: rows },
    (_, i) => 3 * inputs[2 * i] - 2 * inputs[2 * i + 1] + 0.1 * (random() - 0.5),
  );
  return { x: tensor("float32", [rows, 2], inputs), y: tensor("float32", [rows, 1], targets) };
}
const data = { fingerprint: "points", batch: (index) => ({ feeds: points(64, index + 1), phrases: 64 }) };

// weights with a single element, such as this bias, are trained only if they are listed
const trained = ["line.weight", "line.bias"];
const program = { model: g.model(), loss: "loss", weights: trained, sample: points(7, 0) };
const { weights } = await train(program, data, {
  ...{ steps: 200, learningRate: 0.05 },
  onStep: ({ step, loss }) => {
    if (step === 1 || step % 40 === 0) console.log(`step ${step}: loss ${loss.toFixed(4)}`);
  },
});
for (const [name, { data: numbers }] of weights)
  console.log(name, [...numbers].map((number) => number.toFixed(2)).join(" "));
