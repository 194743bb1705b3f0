import { describe } from "vitest";
import * as nn from "../../../src/train.js";
import { type Build, itMatchesPyTorch } from "../pytorch.js";

const unitLength = (net: nn.Net, { anchors, positives, groups }: Record<string, string>) => ({
  anchors: nn.l2Normalise(net, anchors),
  positives: nn.l2Normalise(net, positives),
  groups,
});
type Pair = { anchors: string; positives: string };
type Labelled = { logits: string; labels: string };

const losses: Record<string, Build> = {
  ntXent: (net, inputs) => nn.ntXent(net, inputs as Pair),
  "ntXent.cold": (net, inputs) => nn.ntXent(net, inputs as Pair, { temperature: 0.005 }),
  "ntXent.hard": (net, inputs) => nn.ntXent(net, inputs as Pair, { temperature: 0.1 }),
  "ntXent.groups": (net, inputs) => nn.ntXent(net, inputs as Pair, { temperature: 0.1 }),
  bothWays: (net, inputs) => nn.contrastBothWays(net, unitLength(net, inputs), 10),
  "bothWays.learned": (net, inputs) => nn.contrastBothWays(net, unitLength(net, inputs), inputs.scale),
  crossEntropy: (net, inputs) => nn.crossEntropy(net, inputs as Labelled),
  "crossEntropy.huge": (net, inputs) => nn.crossEntropy(net, inputs as Labelled),
  binaryCrossEntropy: (net, { logits, targets }) => nn.binaryCrossEntropy(net, { logits, targets }),
  "binaryCrossEntropy.huge": (net, { logits, targets }) => nn.binaryCrossEntropy(net, { logits, targets }),
  squaredError: (net, { predictions, targets }) => nn.squaredError(net, { predictions, targets }),
};

describe("losses have PyTorch's results and gradients", () => itMatchesPyTorch(losses, "losses"));
