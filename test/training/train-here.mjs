/** Trains a small program with compiled code, and prints what happened: `node train-here.mjs DEVICE [FOLDER]`. */
import { createNet, fromSeed, linear, ntXent } from "../../dist/train.js";
import { train } from "../../dist/training/trainer.js";

const [device, folder] = process.argv.slice(2);
const net = createNet(fromSeed(1));
const { g } = net;
const x = g.input("x", "float32", ["rows", 5]);
const [anchors, positives] = g.addMany(
  "Split",
  [linear(net, x, { name: "dense", inputs: 5, outputs: 4 })],
  2,
  {
    axis: 0,
  },
);
g.output("loss", ntXent(net, { anchors, positives }, { temperature: 0.1 }));
const feeds = (rows, seed) => {
  const data = Float32Array.from({ length: rows * 5 }, (_, i) => Math.sin(1 + seed * 7 + i * i));
  return { x: { type: "float32", dims: [rows, 5], data } };
};

const seen = { notes: [], steps: [], scores: [] };
const { weights, best } = await train(
  { model: g.model(), loss: "loss", sample: feeds(6, 0) },
  { fingerprint: "small", batch: (index) => ({ feeds: feeds(12, index), phrases: 12 }) },
  {
    ...{ device, folder, steps: 12, learningRate: 0.01, checkpointEvery: 5 },
    evaluation: folder && {
      every: 4,
      run: (tensors) => tensors.get("dense.weight").data.reduce((sum, value) => sum + value * value, 0),
    },
    onNote: (note) => seen.notes.push(note),
    onStep: ({ step, loss }) => seen.steps.push([step, loss]),
    onEvaluation: (step, score) => seen.scores.push([step, score]),
  },
);
const values = [...weights].map(([name, { data }]) => [name, [...data]]);
console.log(JSON.stringify({ ...seen, weights: values, best }));
