/** `pearl import`: a model folder with an ONNX graph out of safetensors weights. */
import { command } from "../command.js";
import { formatCount } from "../format.js";
import { option, required, shared } from "../options.js";

export default command({
  name: "import",
  summary:
    "make a model folder from safetensors (BERT, RoBERTa, MPNet, DistilBERT, ModernBERT), without Python",
  arguments: [["<model>", "hub id, or a folder with config.json and model.safetensors"]],
  options: [
    required("-o, --output <folder>", "the model folder; it must not exist yet"),
    option("--revision <name>", "branch, tag or commit of a hub model (default: main)"),
    shared.report,
    shared.quiet,
  ],
  examples: [
    ["pearl import Lihuchen/pearl_small -o pearl_small", "the PEARL authors' model, from the hub"],
    ["pearl import ./checkpoint -o ./model", "a local folder"],
    ["pearl encode names.txt --model ./model", "use the result"],
  ],
  run: async ([model], { output, revision }, session) => {
    const { checkIsFree } = await import("../../files/whole-folder.js");
    const { locateFiles } = await import("../../hub/locate.js");
    const { importModel, sourceOf } = await import("../../hub/convert/import-model.js");
    await checkIsFree(output);
    const { signal, onDownload } = session;
    const folder = await locateFiles(model, { revision, weights: "safetensors", signal, onDownload });
    const report = await importModel(folder, output, sourceOf(folder));
    session.say(`${model}: ${sizeLine(report)}, weights in ${report.types.join(" and ")}`);
    session.say(`licence: ${report.licence ?? "none stated; ask the authors before you share the model"}`);
    await session.record({ output, ...report });
    session.print(`wrote ${output}: use it with --model ${output}`);
  },
});

export const sizeLine = (sizes: Record<"layers" | "dimension" | "parameters", number> & { family: string }) =>
  `${sizes.family}, ${sizes.layers} layers, ${sizes.dimension} dimensions, ${formatCount(sizes.parameters)} parameters`;
