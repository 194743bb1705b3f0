/** `pearl plot`: a table's phrases as a map, in one file to look at. */
import { basename, extname } from "node:path";
import type { Command } from "commander";
import type { PhraseEncoder } from "../encoder/index.js";
import type { DeviceChoice } from "../runtime/device.js";
import type { TableDescription } from "../table/index.js";
import { formatBytes, formatCount } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { type EncoderChoice, loadEncoder } from "./load-encoder.js";
import {
  addExamples,
  addTableEncodingOptions,
  positiveInteger,
  type TableReadingOptions,
  tableOptionsOf,
  wholeNumber,
} from "./options.js";
import { stageDisplay } from "./progress.js";

interface PlotCommandOptions extends TableReadingOptions, EncoderChoice {
  readonly device: DeviceChoice;
  readonly output?: string;
  readonly color?: string;
  readonly sample: number;
  readonly neighbours: number;
  readonly seed: number;
  readonly title?: string;
}

export function registerPlot(program: Command): void {
  const command = program
    .command("plot")
    .description("draw a table's phrases as a map: what is alike lies together")
    .argument("<file>", "the table; - reads standard input")
    .option("-o, --output <file>", "where to draw: .html (hover, search) or .svg (default: NAME.map.html)")
    .option("--color <column>", "the column that gives the colours, or type: the model's entity types")
    .option("--sample <n>", "rows drawn at most; of more, so many are chosen by lot", positiveInteger, 3000)
    .option("--neighbours <n>", "phrases that each one is to stay near", positiveInteger, 15)
    .option("--seed <n>", "the same seed gives the same map", wholeNumber, 0)
    .option("--title <text>", "heading (default: the file's name)");
  addTableEncodingOptions(command).action(plot);
  addExamples(command, [
    ["pearl plot phrases.csv", "into phrases.map.html"],
    ["pearl plot phrases.csv --color kind -o map.svg", "coloured by a column, as a picture"],
    ["pearl plot names.txt --color type", "coloured by what the phrases name"],
  ]);
}

async function plot(file: string, options: PlotCommandOptions): Promise<void> {
  const { checkPlotName, plotTable } = await import("../plot/index.js");
  const output = options.output ?? defaultOutput(file);
  checkPlotName(output);
  const signal = interruptionSignal();
  const display = stageDisplay({ quiet: options.quiet });
  let encoder: PhraseEncoder | undefined;
  const start = async ({ summary }: TableDescription): Promise<PhraseEncoder> => {
    display.say(summary);
    encoder = await loadEncoder(options, signal);
    return encoder;
  };
  const { color, sample, neighbours, seed, title } = options;
  try {
    const report = await plotTable(file, output, start, {
      ...{ table: tableOptionsOf(options), color, sample, neighbours, seed, title, signal },
      onNote: display.say,
      onProgress: display.show,
    });
    await display.finish();
    const { drawn, rows, bytes } = report;
    process.stdout.write(
      `wrote ${output}: ${formatCount(drawn)} of ${formatCount(rows)} phrases, ${formatBytes(bytes)}\n`,
    );
  } finally {
    await display.finish();
    await encoder?.dispose();
  }
}

/** NAME.map.html in the current folder. */
function defaultOutput(file: string): string {
  const plain = basename(file === "-" ? "stdin" : file).replace(/\.gz$/, "");
  return `${plain.slice(0, plain.length - extname(plain).length) || plain}.map.html`;
}
