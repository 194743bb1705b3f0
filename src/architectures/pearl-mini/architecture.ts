/** pearl's word encoder, with what trains it and shares it among threads. */
import type { Architecture } from "../architecture.js";
import type { WordsFeature } from "./inputs.js";
import { words as reading } from "./reading.js";
import { sharedFeaturizer, type WordGraph } from "./shared-features.js";

export const words: Architecture<WordsFeature> = {
  ...reading,
  inputs: (feature, shared) => [
    ...reading.inputs(feature),
    ...((shared as WordGraph | undefined)?.tables ?? []).map(({ input }) => input),
  ],
  open: (feature, source) =>
    source.shared ? sharedFeaturizer(feature, source.shared as WordGraph) : reading.open(feature, source),
  // what reads ONNX files is loaded where it is needed: loading it takes each worker a while
  readPart: async (folder, settings) => (await import("./model.js")).readWordPart(folder, settings),
  start: async (folder, options) => (await import("./model.js")).readWordStart(folder, options),
  text: async () => (await import("./pretrain.js")).textEncoder,
  share: async (folder, precision) => (await import("./shared-graph.js")).loadWordGraph(folder, precision),
};
