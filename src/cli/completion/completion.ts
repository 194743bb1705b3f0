/** `pearl completion`: prints a script that completes commands, options and their values in a shell. */
import { Option } from "commander";
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
      session.print(
        scripts[shell as keyof typeof scripts](entriesOf("pearl", { commands: await loadAll() })).trimEnd(),
      );
    },
  });

const scripts = { bash, zsh, fish } as const;

const namesOf = ({ short, long }: Option): string[] => [short, long].filter((name) => name !== undefined);

/** Branches of a `case`: how the words typed so far lead to a command. */
const pathBranches = (entries: readonly Entry[]): string => pathsOf(entries.slice(1));

const reply = (words: readonly string[]): string =>
  `COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$current"))`;

/** Adds files, whose names may hold spaces; bash 3 and zsh have no compopt. */
const fileReply = `local IFS=$'\\n'; COMPREPLY+=($(compgen -f -- "$current")); compopt -o filenames 2>/dev/null`;

/** A line for each option with choices, by its places: "pearl join --kind". */
const choiceBranches = (entries: readonly Entry[]): string =>
  entries
    .flatMap(({ path, options }) =>
      options
        .filter(({ argChoices }) => argChoices !== undefined)
        .map((option) => {
          const places = namesOf(option).map((name) => `"${path} ${name}"`);
          return `    ${places.join("|")}) ${reply(option.argChoices!)}; return;;\n`;
        }),
    )
    .join("");

/** A line for each command with the words that may follow it; files too, behind a group that is a command by itself. */
const wordBranches = (entries: readonly Entry[]): string =>
  entries
    .map(({ path, commands, options }) => {
      const words = [...commands.map(({ name }) => name), ...options.flatMap(namesOf)];
      const files = commands.length > 0 && options.length > 0 ? `; ${fileReply}` : "";
      return `    "${path}") ${reply(words)}${files};;\n`;
    })
    .join("");

/** The paths of these entries, as a pattern of `case`. */
const pathsOf = (entries: readonly Entry[]): string => entries.map(({ path }) => `"${path}"`).join("|");

/** The paths of commands, whose options are offered only after a dash. */
const leaves = (entries: readonly Entry[]): string =>
  pathsOf(entries.filter(({ commands }) => commands.length === 0));

function bash(entries: readonly Entry[], shell = "bash"): string {
  return `# completion of pearl for ${shell}, made by: pearl completion ${shell}
_pearl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place=pearl index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$place \${COMP_WORDS[index]}" in ${pathBranches(entries)}) place="$place \${COMP_WORDS[index]}";; esac
  done
  case "$place $previous" in
${choiceBranches(entries)}  esac
  case "$place" in ${leaves(entries)}) [[ "$current" == -* ]] || return;; esac
  case "$place" in
${wordBranches(entries)}  esac
}
complete -o default -F _pearl pearl
`;
}

/** zsh completes by the functions of bash once it is asked to. A file that it loads itself completes at once. */
function zsh(entries: readonly Entry[]): string {
  return `#compdef pearl
autoload -U +X bashcompinit && bashcompinit
${bash(entries, "zsh")}[[ "\${funcstack[1]-}" != _pearl ]] || _bash_complete -o default -F _pearl
`;
}

function fish(entries: readonly Entry[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = entries.flatMap(({ path, commands, options }) => {
    const where = `complete -c pearl -n '__pearl_at ${path}'`;
    const files = options.length > 0 ? "" : " -f";
    return [
      ...commands.map(({ name, summary }) => `${where}${files} -a ${name} -d ${quoted(summary)}`),
      ...options.map((option) => {
        const { argChoices, required, optional, description } = option;
        const flags = namesOf(option).map((name) =>
          name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name[1]}`,
        );
        const file = required || optional ? ["-r"] : [];
        const taken = argChoices ? [`-x -a ${quoted(argChoices.join(" "))}`] : file;
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
interface Entry {
  /** The words that lead here: "pearl index build". */
  readonly path: string;
  readonly commands: readonly AnyCommand[];
  /** None where the path is no command by itself, so that no files may follow it. */
  readonly options: readonly Option[];
}

/** A group has its own options, or those of the command that runs where none is named. */
function entriesOf(path: string, { commands = [], options, run }: Partial<AnyCommand>): Entry[] {
  const byDefault = commands.find(({ runs }) => runs === "default");
  const own = options ?? byDefault?.options ?? [];
  const isCommand = (run ?? byDefault) !== undefined;
  return [
    { path, commands, options: isCommand ? [...own, new Option("-h, --help", "show the help")] : [] },
    ...commands.flatMap((command) => entriesOf(`${path} ${command.name}`, command)),
  ];
}
