/** PEARL's whole loss on a tiny transformer: hard negatives, types, dropout. */
import { assembleModel } from "../../../src/architectures/compose.js";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { readModel } from "../../../src/onnx/io/file.js";
import {
  contrastiveBatch,
  openReader,
  readPhrases,
  samplePhrases,
} from "../../../src/pearl/contrastive-batch.js";
import { pairProgram, prepareForTraining } from "../../../src/pearl/loss/program.js";
import type { Device } from "../../../src/runtime/device.js";
import type { ChunkOptions } from "../../../src/training/gradients/chunks.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { somePairs } from "../pairs-folder.js";

/** A transformer under NT-Xent with hard negatives, and the loss of two types. */
export async function pearlTask(device: Device = "cpu") {
  const folder = await readModelFolder(makeOracleModel("encoder.folded.onnx"));
  const types = ["even", "odd"];
  const base = { folder, model: readModel(folder.graph) };
  const assembled = assembleModel({ base, types, seed: 0 });
  const reader = await openReader(folder, assembled, device);
  const program = pairProgram(prepareForTraining(assembled.model), {
    ...{ sample: await readPhrases(samplePhrases, reader), width: assembled.width, types: types.length },
    ...{ temperature: 0.07, negatives: "used", dropout: 0.1, seed: 0 },
  });
  const pairs = somePairs(8);
  const read = await readPhrases(
    pairs.flatMap(([text, positive, negative]) => [text, positive, negative || "t150"]),
    reader,
  );
  const places = pairs.map((_, pair) => 3 * pair);
  const rows = {
    anchors: places,
    positives: places.map((place) => place + 1),
    negatives: places.map((place) => place + 2),
    types: pairs.map(([, , , type], pair) => (pair === 5 ? -1 : types.indexOf(type))),
  };
  const inputNames = new Set(program.model.graph.inputs.map(({ name }) => name));
  return {
    program,
    batch: (chunks: ChunkOptions) =>
      contrastiveBatch(rows, read, { ...chunks, types: 2, inputNames, seed: 1 }),
  };
}
