/** `pearl merge`: puts the parts of a sharded command together. */
import { ShardError, UsageError } from "../../errors.js";
import { packageVersion } from "../../files/package.js";
import { type AnyCommand, command, hasOption } from "../command.js";
import { option, shared } from "../options.js";
import { checkInputs } from "./sharing.js";

/** @param load loads the command that wrote the parts, called with the first word of its name */
export const mergeCommand = (load: (first: string) => Promise<AnyCommand[]>): AnyCommand =>
  command({
    name: "merge",
    summary: "put the parts of a sharded command together: byte for byte what one run writes",
    arguments: [["<part...>", "all parts that the command wrote with --shard"]],
    options: [
      option("-o, --output <file>", "the whole, as -o of the command (default: as of the command)"),
      option("--json <file>", "also write a report of the run as JSON"),
      ...shared.bounded,
      ...shared.run,
    ],
    examples: [
      ["pearl merge names.embeddings.*.part -o names.parquet", "the shards of pearl encode"],
      [
        "pearl merge messy.joined.*.part -o joined.csv",
        "the shards of pearl join: it learns, decides and writes",
      ],
    ],
    run: async ([paths], options, session) => {
      const { openParts } = await import("../../files/shards/part-file.js");
      const parts = await openParts(paths);
      const { manifest } = parts[0];
      const { command: name, arguments: given, settings } = manifest;
      if (manifest.pearl !== packageVersion())
        throw new ShardError(
          `the parts were made by pearl ${manifest.pearl}, this is ${packageVersion()}. Merge them with that version, or run all shards again.`,
        );
      await checkInputs(manifest);
      const [first, ...rest] = name.split(" ");
      const found = rest.reduce<AnyCommand | undefined>(
        (outer, word) => outer?.commands?.find((inner) => inner.name === word),
        (await load(first)).find((one) => one.name === first),
      );
      if (found?.run === undefined) throw new Error(`no command ${name}`);
      const mustName = found.options?.some(({ mandatory, long }) => mandatory && long === "--output");
      if (mustName && options.output === undefined)
        throw new UsageError(`pearl ${name} has no default output. Name the whole with -o.`);
      if (options.memory !== undefined && !hasOption(found, "--memory"))
        throw new UsageError(`pearl ${name} has no limit of memory. Leave out --memory.`);
      await found.run(given, { ...settings, ...options, parts } as object, session);
    },
  });
