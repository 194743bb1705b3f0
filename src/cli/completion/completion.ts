/** `pearl completion`: prints a script that completes commands, options and their values in a shell. */
import { UsageError } from "../../errors.js";
import { type AnyCommand, command } from "../command.js";

/** @param loadAll gives every command, this one included */
export const completionCommand = (loadAll: () => Promise<AnyCommand[]>): AnyCommand =>
  command({
    name: "completion",
    summary: "print a script that completes commands, options and their values in bash, zsh or fish",
    arguments: [["<shell>", "bash, zsh or fish"]],
    options: [],
    examples: [
      ["pearl completion bash >> ~/.bashrc", "for bash, from the next shell on"],
      ["pearl completion zsh >> ~/.zshrc", "for zsh, below the line with compinit"],
      ["pearl completion fish > ~/.config/fish/completions/pearl.fish", "for fish"],
    ],
    run: async ([shell], _, session) => {
      if (!Object.hasOwn(scripts, shell)) {
        throw new UsageError(`"${shell}" is not a shell that pearl knows: use bash, zsh or fish`);
      }
      session.print(scripts[shell as Shell](entriesOf("pearl", await loadAll())).trimEnd());
    },
  });

export type Shell = keyof typeof scripts;

export const scripts = { bash, zsh, fish } as const;

const namesOf = (options: readonly EntryOption[]): string[] => options.flatMap(({ names }) => names);

/** Branches of a `case`: how the words typed so far lead to a command. */
const pathBranches = (entries: readonly Entry[]): string => pathsOf(entries.slice(1));

/** A line for each option with choices, made by `line` of its places ("pearl join --kind") and its choices. */
const choiceBranches = (entries: readonly Entry[], line: (words: string) => string): string =>
  entries
    .flatMap(({ path, options }) =>
      options
        .filter(({ choices }) => choices.length > 0)
        .map(({ names, choices }) => {
          const places = names.map((name) => `"${path} ${name}"`).join("|");
          return `    ${places}) ${line(choices.join(" "))}; return;;\n`;
        }),
    )
    .join("");

/** A line for each command, made by `line` of the words that may follow it. */
const wordBranches = (entries: readonly Entry[], line: (words: string) => string): string =>
  entries
    .map(({ path, commands, options }) => {
      const words = [...commands.map(({ name }) => name), ...namesOf(options)];
      return `    "${path}") ${line(words.join(" "))};;\n`;
    })
    .join("");

/** The paths of these entries, as a pattern of `case`. */
const pathsOf = (entries: readonly Entry[]): string => entries.map(({ path }) => `"${path}"`).join("|");

/** The paths of commands, whose options are offered only after a dash. */
const leaves = (entries: readonly Entry[]): string =>
  pathsOf(entries.filter(({ commands }) => commands.length === 0));

/** The paths of groups that are commands, too: subcommands or files follow them. */
const commandGroups = (entries: readonly Entry[]): string =>
  pathsOf(entries.filter(({ commands, isCommand }) => isCommand && commands.length > 0));

function bash(entries: readonly Entry[]): string {
  const reply = (words: string): string => `COMPREPLY=($(compgen -W "${words}" -- "$current"))`;
  return `# completion of pearl for bash, made by: pearl completion bash
_pearl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place=pearl index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$place \${COMP_WORDS[index]}" in ${pathBranches(entries)}) place="$place \${COMP_WORDS[index]}";; esac
  done
  case "$place $previous" in
${choiceBranches(entries, reply)}  esac
  case "$place" in ${leaves(entries)}) [[ "$current" == -* ]] || return;; esac
  case "$place" in
${wordBranches(entries, reply)}  esac
}
complete -o default -F _pearl pearl
`;
}

function zsh(entries: readonly Entry[]): string {
  const offer = (words: string): string => `compadd -- ${words}`;
  return `#compdef pearl
# completion of pearl for zsh, made by: pearl completion zsh
_pearl() {
  local current="\${words[CURRENT]}" previous="\${words[CURRENT-1]}" place=pearl index
  for ((index = 2; index < CURRENT; index++)); do
    case "$place \${words[index]}" in ${pathBranches(entries)}) place="$place \${words[index]}";; esac
  done
  case "$place $previous" in
${choiceBranches(entries, offer)}  esac
  case "$place" in ${leaves(entries)}) [[ "$current" == -* ]] || { _files; return; };; esac
  case "$place" in ${commandGroups(entries)}) [[ "$current" == -* ]] || _files;; esac
  case "$place" in
${wordBranches(entries, offer)}  esac
}
compdef _pearl pearl
`;
}

function fish(entries: readonly Entry[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = entries.flatMap(({ path, commands, options, isCommand }) => {
    const where = `complete -c pearl -n '__pearl_at ${path}'`;
    return [
      ...commands.map(
        ({ name, summary }) => `${where}${isCommand ? "" : " -f"} -a ${name} -d ${quoted(summary)}`,
      ),
      ...options.map(({ names, description, value, choices }) => {
        const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name[1]}`));
        const taken =
          choices.length > 0 ? [`-x -a ${quoted(choices.join(" "))}`] : value === "some" ? ["-r"] : [];
        return [where, ...flags, ...taken, `-d ${quoted(description)}`].join(" ");
      }),
    ];
  });
  return `# completion of pearl for fish, made by: pearl completion fish
function __pearl_at
  set -l words (commandline -opc)
  set -e words[1]
  set -l place pearl
  for word in $words
    contains -- "$place $word" ${entries.map(({ path }) => quoted(path)).join(" ")}; and set place "$place $word"
  end
  test "$place" = "$argv"
end
${lines.join("\n")}
`;
}

/** A command or a group of commands with what may follow its name. */
export interface Entry {
  /** The words that lead here: "pearl index build". */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly EntryOption[];
  /** Whether the path is a command by itself, so that files may follow it. */
  readonly isCommand: boolean;
}

export interface EntryOption {
  /** As they are typed: "-o", "--output". */
  readonly names: readonly string[];
  readonly description: string;
  /** Whether a value follows. */
  readonly value: "none" | "some";
  /** The values to choose from; none where any text or file may follow. */
  readonly choices: readonly string[];
}

/** @param own the options that may follow the path itself; none where it is no command */
export function entriesOf(
  path: string,
  commands: readonly AnyCommand[],
  own: readonly EntryOption[] = [],
): Entry[] {
  const names = commands.map(({ name, summary }) => ({ name, summary }));
  const here = { path, commands: names, options: own, isCommand: own.length > 0 };
  return [here, ...commands.flatMap((command) => entriesOfCommand(`${path} ${command.name}`, command))];
}

/** A group has its own options, or those of the command that runs where none is named. */
function entriesOfCommand(path: string, { commands = [], options, run }: AnyCommand): Entry[] {
  const byDefault = commands.find(({ runs }) => runs === "default");
  const own = options ?? byDefault?.options ?? [];
  const shown = own.filter(({ hidden }) => !hidden);
  const declared = shown.map(({ short, long, description, required, optional, argChoices = [] }) => ({
    names: [short, long].filter((name) => name !== undefined),
    description,
    value: required || optional ? ("some" as const) : ("none" as const),
    choices: argChoices,
  }));
  return entriesOf(path, commands, (run ?? byDefault) === undefined ? [] : [...declared, help]);
}

const help: EntryOption = {
  names: ["-h", "--help"],
  description: "show the help",
  value: "none",
  choices: [],
};
