/** What a running command works with: output and progress, interruption, the model, and an orderly end. */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, resolve } from "node:path";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { UsageError } from "../errors.js";
import { packageVersion } from "../files/package.js";
import { isObjectAddress, isPostgresAddress, tablePlace } from "../files/place.js";
import type { DeviceChoice } from "../runtime/device.js";
import { rowsEndingOf, stemOf } from "../table/format.js";
import { addressOfTable, tableOf } from "../table/postgres/address.js";
import type { TableDescription } from "../table/table.js";
import { standardOutput } from "../table/write/standard-output.js";
import { counted } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { type TableOptions, tableOptionsOf } from "./options.js";
import { progressDisplay, readingDisplay } from "./progress.js";

export type Session = ReturnType<typeof openSession>;

export function openSession(options: { readonly quiet?: boolean; readonly json?: string | boolean }) {
  const display = progressDisplay(options);
  const started = performance.now();
  // The command may change the working folder.
  const { json } = options;
  const reportPath = typeof json !== "string" ? undefined : isObjectAddress(json) ? json : resolve(json);
  const ends: (() => Promise<void>)[] = [];
  let limit = "";
  const print = (text: string): void => {
    display.finish();
    process.stdout.write(`${text}\n`);
  };
  const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));
  return {
    ...display,
    print,
    /** Aborted by Ctrl-C and SIGTERM; both end a command that never reads it at once. */
    get signal(): AbortSignal {
      return interruptionSignal();
    },
    /**
     * Reports a written output: on stdout, or on stderr where the output itself went to stdout ("-").
     * @param counts printed as JSON instead by a command with `--json`
     */
    wrote: (output: string, text: string, counts: object = {}): void => {
      if (output === "-") display.say(text);
      else if (options.json === true) printJson({ path: output, ...counts });
      else print(`wrote ${output}: ${text}`);
    },
    sayModel: ({ model, dimension, device }: PhraseEncoder): void => {
      display.say(`model: ${model.name}, ${dimension} dimensions, on ${device}`);
      const { maximumLength: tokens, phraseLength: words } = Object.assign({}, ...model.features);
      limit = tokens ? ` (${tokens} tokens)` : words ? ` (${words} words), or with a very long word` : "";
    },
    sayCut: (count: number): void => {
      const cut = `${counted(count, "phrase")} cut: longer than the model reads${limit}`;
      if (count > 0) display.say(`${cut}. Shorten them, or use a model that reads more.`);
    },
    /** Writes what the command did to the file of `--json`, if one was given. */
    record: async (report: object): Promise<void> => {
      if (reportPath === undefined) return;
      const { writeJsonOutput } = await import("../table/trouble.js");
      const seconds = Math.round(performance.now() - started) / 1000;
      await writeJsonOutput(reportPath, { version: packageVersion(), seconds, ...report });
    },
    printJson,
    /** Tables' reading, as `onProgress` of the options of a table. */
    onReading: readingDisplay(display.show),
    onDownload: ({ done, total }: { readonly done: number; readonly total?: number }): void =>
      display.show("downloading", done, total, "bytes"),
    seconds: (): number => (performance.now() - started) / 1000,
    /** Calls `end` when the command ends or fails; the last one first. */
    atEnd: (end: () => Promise<void>): void => void ends.push(end),
    close: async (): Promise<void> => {
      display.finish();
      for (const end of ends.reverse()) await end();
    },
  };
}

export interface EncoderChoice {
  readonly model?: string;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly int8?: boolean;
}

/** Loads a model that is disposed of when the command ends. */
export async function loadEncoder(choice: EncoderChoice, session: Session): Promise<PhraseEncoder> {
  if (choice.model === "none")
    throw new UsageError(
      "--model none is for join, link, dedupe and cluster: this command needs embeddings. Name a model",
    );
  const { PhraseEncoder } = await import("../encoder/phrase-encoder.js");
  const { device, threads, int8 } = choice;
  const encoder = await PhraseEncoder.load(choice.model, {
    ...{ device, threads, signal: session.signal, onDownload: session.onDownload, onNote: session.say },
    precision: int8 ? "int8" : "full",
  });
  session.atEnd(() => encoder.dispose());
  return encoder;
}

/** The same for commands that can do without a model. */
export const loadEncoderOrNone = async (choice: EncoderChoice, session: Session) =>
  choice.model === "none" ? "none" : loadEncoder(choice, session);

/** What loads the model of `--model` again from any working folder, for what was made with it. */
export const sourceOf = ({ model }: EncoderChoice): { readonly source?: string } =>
  model === undefined ? {} : { source: existsSync(model) ? resolve(model) : model };

/** Loads the model after the table has been opened, and prints how the table is read and which model is used. */
export function encoderAfterTable(choice: EncoderChoice, session: Session) {
  return async ({ summary }: Pick<TableDescription, "summary">): Promise<PhraseEncoder> => {
    session.say(summary);
    const encoder = await loadEncoder(choice, session);
    session.sayModel(encoder);
    for (const note of choice.device === "auto" ? encoder.notes : []) session.say(`  not ${note}`);
    return encoder;
  };
}

export const tableSettings = (options: TableOptions, session: Session) => ({
  table: { ...tableOptionsOf(options), signal: session.signal, onProgress: session.onReading },
  signal: session.signal,
  onNote: session.say,
  onProgress: (done: number, total: number, stage = "encoding") =>
    session.show(stage, done, total, stage === "encoding" ? "phrases" : undefined),
});

/** The same, with a limit of memory and a folder for temporary files. */
export function boundedSettings(
  options: TableOptions & { readonly memory?: number; readonly temp?: string },
  session: Session,
) {
  const { memory: bytes, temp } = options;
  const { table, ...settings } = tableSettings(options, session);
  const memory = bytes === undefined ? undefined : { bytes, folder: temp ?? tmpdir() };
  return { ...settings, memory, table: { ...table, workFolder: temp } };
}

/** `names.part.csv` in the current folder for `data/names.csv`; TSV, JSONL and Parquet keep their format. */
export function outputFor(file: string, part: string, format: string | undefined): string {
  const ending = extname(tablePlace(file).file.replace(/\.gz$/, "")).toLowerCase();
  const kept = [".tsv", ".jsonl", ".parquet"].includes(ending) ? ending : ".csv";
  return `${stemOf(file)}.${part}${format === undefined ? kept : `.${format}`}`;
}

/**
 * The name of another file beside an output: `kept.removed.csv` for `kept.csv`. A name without the ending of a table gets
 * that of the default name, which also stands for standard output and for devices such as /dev/null.
 */
export function besideOutput(output: string, part: string, byDefault: string): string {
  if (isPostgresAddress(output)) return addressOfTable(output, `${tableOf(output)}_${part}`);
  const name = output === standardOutput || output.startsWith("/dev/") ? byDefault : output;
  const ending = rowsEndingOf(name);
  return `${name.slice(0, name.length - ending.length)}.${part}${ending || rowsEndingOf(byDefault)}`;
}
