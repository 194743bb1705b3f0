/** Every command of `pearl`, loaded when it is needed. */
import { readFile } from "node:fs/promises";
import { Option } from "commander";
import type { AnyCommand } from "./command.js";

/** Every command, in the order of `pearl --help`; only the one that is run is loaded. */
const loaders: Readonly<Record<string, () => Promise<{ default: AnyCommand }>>> = {
  demo: () => import("./use/demo.js"),
  encode: () => import("./use/encode.js"),
  join: () => import("./use/join.js"),
  merge: async () => {
    const { mergeCommand } = await import("./shards/merge.js");
    return { default: mergeCommand(loadCommands) };
  },
  submit: async () => {
    const { submitCommand } = await import("./queue/submit.js");
    const queued = await Promise.all(["encode", "join", "dedupe"].map((name) => loaders[name]()));
    return { default: submitCommand(queued.map(({ default: declared }) => declared)) };
  },
  work: () => import("./queue/work.js"),
  cluster: () => import("./use/cluster.js"),
  dedupe: () => import("./use/dedupe.js"),
  evaluate: () => import("./judge/evaluate.js"),
  review: () => import("./serve/review.js"),
  link: () => import("./use/link.js"),
  index: () => import("./use/index-table.js"),
  search: () => import("./use/search.js"),
  sync: () => import("./use/sync.js"),
  serve: () => import("./serve/serve.js"),
  mcp: () => import("./serve/mcp.js"),
  plot: () => import("./use/plot.js"),
  finetune: () => import("./learn/finetune.js"),
  train: () => import("./learn/train.js"),
  pretrain: () => import("./learn/pretrain.js"),
  "pretrain-characters": () => import("./learn/pretrain-characters.js"),
  distill: () => import("./learn/distill.js"),
  augment: () => import("./learn/augment.js"),
  mine: () => import("./learn/mine.js"),
  type: () => import("./use/type.js"),
  classify: () => import("./use/classify.js"),
  tag: () => import("./use/tag.js"),
  bench: () => import("./judge/bench.js"),
  ablate: () => import("./judge/ablate.js"),
  corpus: () => import("./learn/corpus.js"),
  data: () => import("./judge/data.js"),
  models: () => import("./models/list.js"),
  import: () => import("./models/import.js"),
  export: () => import("./models/export.js"),
  doctor: () => import("./doctor/doctor.js"),
  completion: async () => {
    const { completionCommand } = await import("./completion/completion.js");
    return { default: completionCommand(loadCommands) };
  },
};

/** What `pearl --help` says of a command; the build writes it of all commands, so that none has to be loaded for it. */
interface Overview extends Pick<AnyCommand, "name" | "summary" | "arguments"> {
  readonly hasOptions: boolean;
}

const overviewFile = new URL("overview.json", import.meta.url);

export const overviewOf = (commands: readonly AnyCommand[]): Overview[] =>
  commands.map(({ name, summary, arguments: given, options = [] }) => ({
    ...{ name, summary, arguments: given, hasOptions: options.length > 0 },
  }));

/** Commands that can be listed alone; undefined where nothing was built. */
async function listedCommands(): Promise<AnyCommand[] | undefined> {
  const text = await readFile(overviewFile, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const listed = JSON.parse(text) as Overview[];
  return listed.map(({ hasOptions, ...described }) => ({
    ...{ ...described, examples: [], options: hasOptions ? [new Option("--any")] : [] },
  }));
}

/** The command called `first`, or all commands where there is none of that name; none to print the version. */
export async function loadCommands(first?: string): Promise<AnyCommand[]> {
  if (first === "--version" || first === "-V") return [];
  const listed = first === "--help" || first === "-h" ? await listedCommands() : undefined;
  if (listed) return listed;
  const named =
    first !== undefined && Object.hasOwn(loaders, first) ? [loaders[first]] : Object.values(loaders);
  return (await Promise.all(named.map((load) => load()))).map(({ default: declared }) => declared);
}
