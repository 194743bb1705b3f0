/** `pearl link`: gives the rows of a table the stable names of their entities, which a store keeps from run to run. */
import { UsageError } from "../../errors.js";
import { endsEarly, type Sharing } from "../../files/shards/shard.js";
import { alignColumns } from "../../files/text-table.js";
import type { EntityEvent, EntityHistory } from "../../link/history.js";
import type { LinkReport } from "../../link/link-table.js";
import { precisionLine } from "../../match/estimates/promise.js";
import { shellWord } from "../../shell-word.js";
import { stemOf } from "../../table/format.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatCount } from "../format.js";
import { checkGolden, fraction, noteUnused, option, required, shared, tableOutput } from "../options.js";
import {
  besideOutput,
  boundedSettings,
  loadEncoder,
  loadEncoderOrNone,
  outputFor,
  type Session,
} from "../session.js";
import {
  checkShare,
  compareLearned,
  learnOptions,
  type ShareOptions,
  shardOption,
  shareWork,
} from "../shards/sharing.js";
import { comparedLines, survivorLine } from "./report.js";

const declared = [
  required("--store <file>", "the store of entities, one file; the first run makes it"),
  tableOutput("the rows with their entity in front", "NAME.linked.csv"),
  shared.format,
  shared.report,
  option("--key <column>", "a column that identifies rows, also those whose other cells change"),
  option("--source <name>", "where keys are unique (default: the store's; the first time, the file's name)"),
  option("--precision <p>", "expected share of correct pairs within entities (default: 0.9)", fraction),
  option("--link-likely", "if the precision is not established: link likely rows all the same"),
  option("--review-out <file>", "write doubtful pairs for a person to decide"),
  option("--review <file>", "apply the decisions of a reviewed file, from now on"),
  option("--relearn", "learn from all rows again (default: when the store has grown by half)"),
  option("--no-relearn", "do not, however much the store has grown"),
  ...shared.compared,
  ...shared.bounded,
  option("--history <entity>", "instead: print an entity's rows and what happened to it"),
  option("--undo", "instead: take the last run back"),
  option("--export <file>", "instead: write all rows of the store with their entities"),
  option("--golden <file>", "instead: write one record for each entity, each cell chosen among its rows"),
  ...shared.golden,
  shardOption,
  ...learnOptions,
  shared.modelOrNone,
  ...shared.tableFormat,
  ...shared.run,
] as const;

export default command({
  name: "link",
  summary: "give rows the stable names of their entities, kept in a store from run to run",
  arguments: [["[file]", "the table; - reads standard input"]],
  options: declared,
  examples: [
    ["pearl link customers.csv --store customers.pearl", "write customers.linked.csv: entities E1, E2, ..."],
    ["pearl link june.csv --store customers.pearl", "link more rows: only these are compared"],
    ["pearl link --store customers.pearl --history E7", "the rows of an entity, and why they are together"],
    ["pearl link --store customers.pearl --golden golden.csv", "write one record for each entity"],
    ["pearl link --store customers.pearl --undo", "take the last run back"],
  ],
  run: async ([file], options, session) => {
    const { store, history, undo, export: exported, golden, format } = options;
    checkUsage(file, options);
    noteUnused(options, session.say);
    const entities = await import("../../link/history.js");
    if (history !== undefined) {
      const found = await entities.entityHistory(store, history);
      await session.record(found);
      return session.print(historyLines(found).join("\n"));
    }
    if (undo === true) {
      const undone = await entities.undoLink(store);
      await session.record(undone);
      return session.print(`took back run ${undone.run} (${undone.source}, ${dayOf(undone.time)})`);
    }
    if (exported !== undefined) {
      const rows = await (await import("../../link/export.js")).exportEntities(store, exported, format);
      await session.record({ path: exported, rows });
      return session.wrote(exported, counted(rows, "row"));
    }
    if (golden !== undefined) return writeGolden(golden, options, session);
    await linkFile(file!, options, session);
  },
});

type Options = OptionsOf<typeof declared>;

function checkUsage(file: string | undefined, options: Options): void {
  const { history, undo, export: exported, golden, output, format } = options;
  const others = [history, undo, exported, golden].filter((value) => value !== undefined).length;
  checkGolden(options);
  if (
    others + (file === undefined ? 0 : 1) !== 1 ||
    (others > 0 && (options.shard ?? options.learn) !== undefined)
  )
    throw new UsageError("name a table, or one of --history, --undo, --export and --golden");
  if (others > 0 && output !== undefined)
    throw new UsageError("--history, --undo, --export and --golden link no table: leave -o out");
  if (others > 0 && (exported ?? golden) === undefined && format !== undefined)
    throw new UsageError("--history and --undo write no table: leave --format out");
}

async function writeGolden(output: string, options: Options, session: Session): Promise<void> {
  const { goldenEntities } = await import("../../link/export.js");
  const { store, survivor, goldenJson: origins, kindOf, format } = options;
  const settings = { survivors: survivor, origins, kindOf, format, onNote: session.say };
  const written = await goldenEntities(store, output, settings);
  await session.record({ path: output, ...written });
  const { records, merged, survivors } = written;
  session.wrote(output, `${counted(records, "record")}, ${formatCount(merged)} of several rows`);
  session.say(survivorLine(survivors));
  if (origins !== undefined) session.wrote(origins, "the origin of each cell");
}

async function linkFile(file: string, options: Options, session: Session): Promise<void> {
  const { linkTable } = await import("../../link/link-table.js");
  const { store, format, relearn, linkLikely, model } = options;
  const byDefault = outputFor(file, "linked", format);
  const { output = byDefault } = options;
  const likelyOutput = besideOutput(output, "likely", byDefault);
  const inputs = [file, store, options.review];
  const run = { command: "link", arguments: [file], options, inputs, stem: `${stemOf(file)}.linked` };
  checkShare(run);
  if (await compareLearned(run, options, session)) return;
  const load = () => loadEncoder(options, session);
  const isShared =
    (options.shard ?? options.learn) !== undefined || (options as ShareOptions).parts !== undefined;
  const loaded = isShared || model === "none" ? await loadEncoderOrNone(options, session) : undefined;
  const link = (sharing?: Sharing) =>
    linkTable(file, store, {
      ...{ ...options, ...boundedSettings(options, session), sharing },
      ...(endsEarly(sharing) ? { output: undefined } : { output, likelyOutput }),
      reviewOutput: options.reviewOut,
      encoder: loaded ?? load,
      likely: linkLikely ? "accept" : undefined,
      learn: relearn === undefined ? "when-grown" : relearn ? "again" : "never",
    });
  const report = await shareWork(run, loaded, session, link);
  if (report === undefined) return;
  const { entityOf: _, ...counts } = report;
  for (const line of report.hasLearned ? comparedLines(report, options.on) : []) session.say(line);
  if (report.learnedFrom > 0) for (const line of learningLines(report)) session.say(line);
  session.wrote(output, resultLine(report));
  if (report.likely > 0)
    session.say(
      `wrote ${likelyOutput}: ${counted(report.likely, "likely row")} of another entity, not linked. ` +
        "Check what it lists, and run again with --link-likely to link it",
    );
  if (report.reviewed !== undefined)
    session.say(`wrote ${options.reviewOut}: ${counted(report.reviewed, "pair")} to decide`);
  if (report.entitiesBefore === 0 && report.rows > 0)
    session.say(
      `next: pearl link NEXT.csv --store ${shellWord(store)}${options.key === undefined ? "" : ` --key ${shellWord(options.key)}`} ` +
        "links more rows; --history E1 shows an entity, --golden FILE one record for each, --undo takes the run back",
    );
  await session.record({ ...counts, kind: "many-to-many" });
}

function learningLines(report: LinkReport): string[] {
  const { run, hasLearned, learnedFrom, linked } = report;
  const rows = counted(learnedFrom, "row");
  const learned = hasLearned ? `learned from ${rows}` : `by the weights learned from ${rows}`;
  const what = {
    established: [],
    likely: ["likely rows are linked all the same: the entities are not verified"],
    equal: ["only rows that are equal in all compared columns are one entity"],
  }[linked];
  return [...(run === 0 ? [] : [learned]), precisionLine(report), ...what];
}

function resultLine(report: LinkReport): string {
  const { rows, known, added, changed, renewed, entitiesBefore, entitiesAfter, merged, split } = report;
  const other = renewed > 0 ? ` (${formatCount(renewed)} with news in columns that are not compared)` : "";
  const parts = [
    `${counted(rows, "row")}: ${formatCount(known)} known${other}, ${formatCount(added)} new, ${formatCount(changed)} changed`,
    `${formatCount(entitiesBefore)} entities before, ${formatCount(entitiesAfter)} now`,
    `${formatCount(merged)} merged, ${formatCount(split)} split`,
  ];
  return parts.join("; ");
}

function historyLines({ entity, aliases, rows, events }: EntityHistory): string[] {
  const names = aliases.length > 0 ? `, also named ${aliases.join(", ")}` : "";
  const columns = Object.keys(rows[0].cells);
  const table = rows.map(({ source, row, key, run, cells }) => [
    ...[source, String(key ?? row), String(run)],
    ...columns.map((name) => cells[name]),
  ]);
  return [
    `${entity}: ${counted(rows.length, "row")}${names}`,
    alignColumns([["source", "row", "run", ...columns], ...table]),
    ...events.map(eventLine),
  ];
}

const shownRows = 5;

function eventLine({ run, time, kind, entity, other, rows, probability, reason }: EntityEvent): string {
  const more = rows.length > shownRows ? ` and ${formatCount(rows.length - shownRows)} more` : "";
  const named = `${rows.slice(0, shownRows).join(", ")}${more}`;
  const happened = {
    created: `${entity} created from ${named}`,
    joined: `${named} joined ${entity}`,
    changed: `${named} changed and stayed`,
    merged: `${other} merged into ${entity}: ${named}`,
    split: `${named} left ${other} for ${entity}`,
  }[kind];
  const why = probability === undefined ? "" : `: ${reason}`;
  return `${dayOf(time)} run ${run}: ${happened}${why}`;
}

const dayOf = (time: string): string => time.slice(0, 10);
