/** `pearl data`: downloads benchmark data that is public. */
import { type Command, Option } from "commander";
import { interruptionSignal } from "./interruption.js";
import { addExamples, addQuietOption } from "./options.js";
import { startProgress } from "./progress.js";

interface DataCommandOptions {
  readonly data?: string;
  readonly endpoint?: string;
  readonly quiet?: boolean;
}

export function registerData(program: Command): void {
  const data = program.command("data").description("download benchmark data that is public");
  addExamples(data, [
    ["pearl data autofj", "the tables of AutoFJ's sets, where `pearl bench` looks by default"],
  ]);
  const autofj = data
    .command("autofj")
    .description("download the tables of AutoFJ's 50 sets (about 6 MB) from their public repository")
    .option(
      "--data <folder>",
      "where to put them (default: $PEARL_DATA, else ./data/bench, else ~/.cache/pearl/bench)",
    )
    .addOption(
      new Option("--endpoint <url>", "a mirror of raw.githubusercontent.com").env("PEARL_DATA_ENDPOINT"),
    );
  addQuietOption(autofj).action(downloadTables);
  addExamples(autofj, [
    ["pearl data autofj", "where `pearl bench` looks by default"],
    ["pearl data autofj --data bench", "into bench/autofj; again: only what is missing"],
  ]);
}

async function downloadTables(options: DataCommandOptions): Promise<void> {
  const { defaultDataFolder, downloadAutofj } = await import("../benchmark/index.js");
  const progress = await startProgress({ label: "downloading", unit: "items", quiet: options.quiet });
  try {
    const { folder, downloaded, kept } = await downloadAutofj(options.data ?? (await defaultDataFolder()), {
      endpoint: options.endpoint,
      signal: interruptionSignal(),
      onProgress: progress.update,
    });
    progress.finish();
    process.stdout.write(`${folder}: ${downloaded} files downloaded, ${kept} were there\n`);
  } finally {
    progress.finish();
  }
}
