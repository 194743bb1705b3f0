/** `pearl import`: a model that is published as safetensors becomes a model folder with a graph. */
import type { Command } from "commander";
import { formatCount } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { addExamples, addQuietOption } from "./options.js";
import { startProgress } from "./progress.js";

interface ImportCommandOptions {
  readonly output: string;
  readonly revision?: string;
  readonly quiet?: boolean;
}

export function registerImport(program: Command): void {
  const command = program
    .command("import")
    .description("make a model folder from safetensors weights (BERT and RoBERTa families), without Python")
    .argument("<model>", "hub id, or a folder with config.json and model.safetensors")
    .requiredOption("-o, --output <folder>", "the model folder to write; it must not exist yet")
    .option("--revision <name>", "branch, tag or commit of a hub model (default: main)");
  addQuietOption(command).action(importModelFolder);
  addExamples(command, [
    ["pearl import Lihuchen/pearl_small -o pearl_small", "PEARL's own model, from the hub"],
    ["pearl import ./checkpoint -o ./model", "a folder that was trained elsewhere"],
    ["pearl encode names.txt --model ./model", "what the result is for"],
  ]);
}

async function importModelFolder(model: string, options: ImportCommandOptions): Promise<void> {
  const [{ locateFiles }, { importModel, sourceOf }, { checkIsFree }] = await Promise.all([
    import("../encoder/locate.js"),
    import("../encoder/import-model.js"),
    import("../encoder/whole-folder.js"),
  ]);
  const { output, revision, quiet } = options;
  await checkIsFree(output);
  const download = await startProgress({ label: "downloading", unit: "bytes", quiet });
  const folder = await locateFiles(model, {
    revision,
    weights: "safetensors",
    signal: interruptionSignal(),
    onDownload: ({ done, total }) => download.update(done, total),
  }).finally(() => download.finish());
  const report = await importModel(folder, output, sourceOf(folder));
  const { family, layers, dimension, parameters, types, licence } = report;
  const size = `${layers} layers, ${dimension} dimensions, ${formatCount(parameters)} parameters`;
  if (!quiet) {
    process.stderr.write(`${model}: ${family}, ${size}, weights in ${types.join(" and ")}\n`);
    process.stderr.write(`licence: ${licence ?? "none stated; ask its authors before you pass it on"}\n`);
  }
  process.stdout.write(`wrote ${output}: use it with --model ${output}\n`);
}
