/** The worker that matches the tables of a review and takes in the answers: the page never waits for it. */
import { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { refuseContradictions } from "../../group/decided-groups.js";
import { type DedupeTableOptions, openDuplicates } from "../../group/tables/dedupe-table.js";
import { type JoinTablesOptions, openJoin } from "../../join/join-tables.js";
import type { AliasOptions } from "../../match/columns/aliases.js";
import type { PrecisionReport } from "../../match/estimates/promise.js";
import type { DoubtfulPair } from "../../match/review/doubtful.js";
import { readKnown } from "../../match/review/read-decisions.js";
import type { RuleOptions } from "../../match/rules.js";
import type { DeviceChoice } from "../../runtime/device.js";
import { serve } from "../../runtime/worker-server.js";

type Shared = "on" | "ignore" | "kindOf" | "precision" | "kind" | "table" | "threads" | "decisionPaths";

/** What is matched: two tables are joined, one is deduplicated. */
export interface Matching extends RuleOptions, AliasOptions, Pick<JoinTablesOptions, Shared> {
  readonly tables: readonly [left: string, right?: string];
  readonly model?: string;
  readonly device?: DeviceChoice;
}

/** What is found with some answers. */
export interface Figures extends Omit<PrecisionReport, "promise"> {
  readonly promise?: PrecisionReport["promise"];
  /** Matches of a join; duplicates of a table. */
  readonly found: number;
  /** Ids of the pairs that are most worth asking next, best first. */
  readonly next: readonly string[];
}

/** Pairs in `next`. */
const mostNext = 20;

let encoder: PhraseEncoder | undefined;
let figuresWith: (review: readonly string[]) => Promise<Figures>;

serve({
  async open({ tables: [left, right], model, device, ...options }: Matching) {
    const { threads } = options;
    if (model !== "none") encoder = await PhraseEncoder.load(model, { device, threads });
    const matching = { ...options, encoder: encoder ?? ("none" as const) };
    figuresWith = right === undefined ? await ofOneTable(left, matching) : await ofTwo(left, right, matching);
    return { result: undefined };
  },
  /** @param review the review file once it has a decision, else none */
  async figures(review: readonly string[]) {
    return { result: await figuresWith(review) };
  },
  async close() {
    await encoder?.dispose();
    return { result: undefined };
  },
});

async function ofTwo(left: string, right: string, options: JoinTablesOptions): Promise<typeof figuresWith> {
  const { texts, known, joined } = await openJoin(left, right, options);
  return async (review) => {
    const result = await joined.withKnown([...known, ...(await readKnown(review, texts))]);
    return figures(result.findings, result.matches.length, result);
  };
}

async function ofOneTable(path: string, options: DedupeTableOptions): Promise<typeof figuresWith> {
  const { table, known, found } = await openDuplicates(path, options);
  return async (review) => {
    const all = [...known, ...(await readKnown(review, { left: table.columns }))];
    refuseContradictions(table.phrases.length, all);
    const result = await found.withKnown(all);
    const duplicates = result.report.groups.reduce((sum, { others }) => sum + others.length, 0);
    return figures(result.report, duplicates, result);
  };
}

type Precision = Omit<PrecisionReport, "promise"> & Pick<Figures, "promise">;

function figures(
  { estimate, low, high, promise }: Precision,
  found: number,
  { doubtful }: { doubtful(count: number): DoubtfulPair[] },
): Figures {
  const next = doubtful(mostNext).map(({ left, right }) => `${left + 1} ${right + 1}`);
  return { estimate, low, high, promise, found, next };
}
