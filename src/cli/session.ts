/** What a running command has at hand: lines and progress for the user, interruption, the model, and an orderly end. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import type { DeviceChoice } from "../runtime/device.js";
import type { TableDescription } from "../table/table.js";
import { interruptionSignal } from "./interruption.js";
import { stageDisplay } from "./progress.js";

/** A running command. */
export interface Session extends ReturnType<typeof stageDisplay> {
  /** Aborted by Ctrl-C and SIGTERM; a command that never reads it ends at the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Prints a result on standard output, with a line break. */
  print(text: string): void;
  /** Prints a result as indented JSON. */
  printJson(value: unknown): void;
  /** Shows a download's progress. */
  readonly onDownload: (state: { readonly done: number; readonly total?: number }) => void;
  /** Seconds since the command started, for the last line. */
  seconds(): number;
  /** Has something ended when the command ends, whether it fails or not; the last one first. */
  atEnd(end: () => Promise<void>): void;
  close(): Promise<void>;
}

export function openSession({ quiet }: { readonly quiet?: boolean }): Session {
  const display = stageDisplay({ quiet });
  const started = performance.now();
  const ends: (() => Promise<void>)[] = [];
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  return {
    ...display,
    get signal() {
      return interruptionSignal();
    },
    print,
    printJson: (value) => print(JSON.stringify(value, null, 2)),
    onDownload: ({ done, total }) => display.show("downloading", done, total, "bytes"),
    seconds: () => (performance.now() - started) / 1000,
    atEnd: (end) => void ends.push(end),
    close: async () => {
      await display.finish();
      for (const end of ends.reverse()) await end();
    },
  };
}

/** What the command line says of the model. */
export interface EncoderChoice {
  /** Embedded model, folder or hub id; the embedded default where absent. */
  readonly model?: string;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly int8?: boolean;
}

/** Loads the model that a command encodes with; it is disposed of when the command ends. */
export async function loadEncoder(choice: EncoderChoice, session: Session): Promise<PhraseEncoder> {
  const { PhraseEncoder } = await import("../encoder/phrase-encoder.js");
  const { device, threads, int8 } = choice;
  const encoder = await PhraseEncoder.load(choice.model, {
    ...{ device, threads, signal: session.signal, onDownload: session.onDownload },
    precision: int8 ? "int8" : "full",
  });
  session.atEnd(() => encoder.dispose());
  await session.finish();
  return encoder;
}

/** Loads the model once the table is found to be readable, and says which table and which model. */
export function encoderAfterTable(choice: EncoderChoice, session: Session) {
  return async ({ summary }: TableDescription): Promise<PhraseEncoder> => {
    session.say(summary);
    const encoder = await loadEncoder(choice, session);
    session.say(`model: ${encoder.model.name}, ${encoder.dimension} dimensions, on ${encoder.device}`);
    for (const note of choice.device === "auto" ? encoder.notes : []) session.say(`  not ${note}`);
    return encoder;
  };
}

/** `names` of `data/names.csv.gz`: outputs without a name of their own go into the current folder under it. */
export function stemOf(file: string): string {
  const plain = (file === "-" ? "stdin" : file).replace(/^.*[/\\]/, "").replace(/\.gz$/, "");
  return plain.replace(/(?<=.)\.[^.]*$/, "");
}
