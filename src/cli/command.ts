/** Commands of `pearl` as data, and their registration with commander. */
import { resolve } from "node:path";
import type { InferArgument, InferOptions, Option as TypedOption } from "@commander-js/extra-typings";
import type { Command, Option } from "commander";
import { ArgumentError, UsageError } from "../errors.js";
import { keepTemporaryFilesIn } from "../files/object-storage/temporary-folder.js";
import { standardOutput } from "../table/write/standard-output.js";
import { prepareAddresses, refuseOwnInputs, refuseUnknownAddresses } from "./addresses.js";
import { openSession, type Session } from "./session.js";

type ArgumentLine = readonly [usage: string, description: string];

export type OptionsOf<
  Declared extends readonly object[],
  Found = Record<never, never>,
> = Declared extends readonly [
  TypedOption<infer Flags, infer Preset, infer Default, infer Value, infer Mandatory, infer Choices>,
  ...infer Rest extends readonly object[],
]
  ? OptionsOf<Rest, InferOptions<Found, Flags, Default, Value, Mandatory, Preset, Choices>>
  : Found;

type ValuesOf<Arguments extends readonly ArgumentLine[]> = {
  -readonly [Position in keyof Arguments]: InferArgument<Arguments[Position][0]>;
};

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly (readonly [line: string, purpose: string])[];
}

/** A command with the types of its arguments and options erased, or a group of commands. */
export interface AnyCommand extends Described {
  readonly arguments?: readonly ArgumentLine[];
  readonly options?: readonly Option[];
  readonly commands?: readonly AnyCommand[];
  /** "default" for the command of a group that runs where none of the group is named. */
  readonly runs?: "default";
  /** "arguments" where all of them are optional, but one must be given. */
  readonly needs?: "arguments";
  readonly run?: (values: unknown[], options: { quiet?: boolean }, session: Session) => Promise<void>;
}

export function command<
  const Options extends readonly object[],
  const Arguments extends readonly ArgumentLine[] = [],
>(
  declaration: Described & {
    readonly arguments?: Arguments;
    readonly needs?: "arguments";
    readonly runs?: "default";
    readonly options: Options;
    readonly run: (
      values: ValuesOf<Arguments>,
      options: OptionsOf<Options>,
      session: Session,
    ) => Promise<void>;
  },
): AnyCommand {
  return declaration as unknown as AnyCommand;
}

/** @param long such as "--memory" */
export const hasOption = ({ options }: AnyCommand, long: string): boolean =>
  options?.some((own) => own.long === long) ?? false;

/**
 * The command that `words` name without any argument or option, if it cannot run so; a group of commands never can.
 * @returns its full name and its declaration
 */
export function bareCommand(
  words: readonly string[],
  declared: readonly AnyCommand[],
): { readonly name: string; readonly command: AnyCommand } | undefined {
  const [word, ...rest] = words;
  const command = declared.find(({ name }) => name === word);
  if (command === undefined) return undefined;
  if (rest.length > 0) {
    const inner = bareCommand(rest, command.commands ?? []);
    return inner && { name: `${word} ${inner.name}`, command: inner.command };
  }
  const isMissing =
    command.run === undefined ||
    command.needs === "arguments" ||
    command.arguments?.some(([usage]) => usage.startsWith("<")) ||
    command.options?.some(({ mandatory }) => mandatory);
  return isMissing ? { name: word, command } : undefined;
}

/** What a command without arguments prints: what it does, how it is called, and up to three examples. */
export function bareHelp(
  name: string,
  { summary, arguments: given = [], examples, commands }: AnyCommand,
): string {
  const usage =
    commands === undefined
      ? [...given.map(([argument]) => argument), "[options]"]
      : [commands.map((inner) => inner.name).join("|")];
  return `pearl ${name}: ${summary}\n\nUsage: pearl ${name} ${usage.join(" ")}\n${exampleLines(examples.slice(0, 3))}\n`;
}

/** Other names of standard output. */
const standardOutputs = ["/dev/stdout", "/dev/fd/1"];

/** @param prepare what each command does first */
export function register(program: Command, declared: AnyCommand, prepare = prepareAddresses): void {
  const { name, summary, examples, run } = declared;
  const isDefault = declared.runs === "default";
  const made = program
    .command(name, { isDefault })
    .description(summary)
    .addHelpText("after", exampleLines(examples));
  for (const [usage, description] of declared.arguments ?? []) made.argument(usage, description);
  for (const option of declared.options ?? []) made.addOption(option);
  for (const inner of declared.commands ?? []) register(made, inner, prepare);
  if (!run) return;
  made.action(async (...given: unknown[]) => {
    const session = openSession(made.optsWithGlobals());
    try {
      const [words, options] = [given.slice(0, -2), made.optsWithGlobals()];
      if (standardOutputs.includes(options.output)) options.output = standardOutput;
      refuseUnknownAddresses(declared, words, options);
      refuseOwnInputs(words, options);
      const { temp } = options as { readonly temp?: string };
      // The command may change the working folder.
      keepTemporaryFilesIn(temp && resolve(temp));
      await prepare(words, options, session);
      await run(words, options, session);
    } catch (error) {
      throw asTyped(error, made.options);
    } finally {
      await session.close();
    }
  });
}

/** An error about an argument of the library, with the first long name of its option: `--dims` for `truncateDim`. */
function asTyped(error: unknown, options: readonly Option[]): unknown {
  if (!(error instanceof ArgumentError)) return error;
  const [name = ""] = /^(?:[a-z]+[A-Z]\w*|\w+(?= must | is ))/.exec(error.message) ?? [];
  const option = options.find((one) => one.attributeName() === name);
  if (option === undefined) return error;
  const flag = option.short?.startsWith("--") ? option.short : option.long;
  return new UsageError(flag + error.message.slice(name.length), { cause: error });
}

function exampleLines(examples: Described["examples"]): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, purpose]) => `  ${line.padEnd(width)}  ${purpose}`);
  return `\nExamples:\n${lines.join("\n")}`;
}
