/** `pearl export`: a model folder becomes what sentence-transformers loads. */
import { type Command, Option } from "commander";
import { formatCount } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { addExamples, addQuietOption } from "./options.js";
import { startProgress } from "./progress.js";

interface ExportCommandOptions {
  readonly output: string;
  readonly format: "safetensors";
  readonly normalize?: boolean;
  readonly quiet?: boolean;
}

export function registerExport(program: Command): void {
  const command = program
    .command("export")
    .description("write a model for other libraries: safetensors, as sentence-transformers loads it")
    .argument("<model>", "folder or hub id of a BERT or RoBERTa encoder")
    .requiredOption("-o, --output <folder>", "the folder to write; it must not exist yet")
    .addOption(
      new Option("--format <name>", "format of the weights").choices(["safetensors"]).default("safetensors"),
    )
    .option("--normalize", "vectors of length 1, whatever the model's modules.json says")
    .option("--no-normalize", "vectors as the model gives them");
  addQuietOption(command).action(exportModel);
  addExamples(command, [
    ["pearl export ./my-model -o ./for-python", "a model that was fine-tuned here"],
    ["pearl export ./my-model -o ./raw --no-normalize", "without scaling to length 1"],
  ]);
}

async function exportModel(model: string, options: ExportCommandOptions): Promise<void> {
  const [{ locateModel }, { exportSafetensors }, { checkIsFree }] = await Promise.all([
    import("../encoder/locate.js"),
    import("../encoder/export-safetensors.js"),
    import("../encoder/whole-folder.js"),
  ]);
  const { output, normalize, quiet } = options;
  await checkIsFree(output);
  const download = await startProgress({ label: "downloading", unit: "bytes", quiet });
  const folder = await locateModel(model, {
    signal: interruptionSignal(),
    onDownload: ({ done, total }) => download.update(done, total),
  }).finally(() => download.finish());
  const length = normalize === undefined ? undefined : normalize ? "unit" : "raw";
  const report = await exportSafetensors(folder, output, { length });
  const { family, layers, dimension, parameters, pooling, difference } = report;
  if (!quiet) {
    const size = `${layers} layers, ${dimension} dimensions, ${formatCount(parameters)} parameters`;
    const scaling = report.length === "unit" ? "vectors of length 1" : "vectors not scaled";
    process.stderr.write(`${model}: ${family}, ${size}; pooling ${pooling}, ${scaling}\n`);
    process.stderr.write(
      `a graph made anew from the written weights agrees to ${difference.toExponential(0)}\n`,
    );
  }
  process.stdout.write(`wrote ${output}: SentenceTransformer("${output}") loads it\n`);
}
