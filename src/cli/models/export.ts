/** `pearl export`: a model folder in the form that sentence-transformers or model2vec loads. */
import { command } from "../command.js";
import { choice, option, required, shared } from "../options.js";
import { sizeLine } from "./import.js";

export default command({
  name: "export",
  summary:
    "write a model for Python: safetensors, as sentence-transformers or, of a static model, model2vec loads it",
  arguments: [["<model>", "folder or hub id of an encoder that pearl import takes"]],
  options: [
    required("-o, --output <folder>", "the folder to write; it must not exist yet"),
    choice("--format <name>", "format of the weights", ["safetensors"], "safetensors"),
    option("--normalize", "scale embeddings to length 1 (default: as the model's modules.json says)"),
    option("--no-normalize", "do not scale embeddings"),
    shared.report,
    shared.quiet,
  ],
  examples: [
    ["pearl export ./my-model -o ./for-python", "a model trained with pearl"],
    ["pearl export ./my-model -o ./raw --no-normalize", "without scaling to length 1"],
  ],
  run: async ([model], { output, normalize }, session) => {
    const { checkIsFree } = await import("../../files/whole-folder.js");
    const { locateModel } = await import("../../hub/locate.js");
    const { exportSafetensors } = await import("../../hub/convert/export-safetensors.js");
    await checkIsFree(output);
    const { signal, onDownload } = session;
    const folder = await locateModel(model, { signal, onDownload });
    const length = normalize === undefined ? undefined : normalize ? "unit" : "raw";
    const report = await exportSafetensors(folder, output, { length });
    const scaling = report.length === "unit" ? "vectors of length 1" : "vectors not scaled";
    session.say(`${model}: ${sizeLine(report)}; pooling ${report.pooling}, ${scaling}`);
    session.say(`a graph rebuilt from the written weights agrees to ${report.difference.toExponential(0)}`);
    await session.record({ output, ...report });
    const loader = report.family === "model2vec" ? "StaticModel.from_pretrained" : "SentenceTransformer";
    session.print(`wrote ${output}: load it with ${loader}("${output}")`);
  },
});
