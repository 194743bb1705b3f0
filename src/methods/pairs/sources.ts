/**
 * Several tables of pairs in one training. Each batch comes from one table, a source. The order of the batches is random.
 * A source's size and weight determine how many batches of a pass it has.
 */
import { basename, resolve } from "node:path";
import { ArgumentError } from "../../errors.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { isPostgresAddress } from "../../files/place.js";
import { exists } from "../../files/whole-file.js";
import { epochOrders } from "../../random.js";
import { type PairTable, readPairs, type WantedColumns } from "./pairs.js";

/** A table of pairs, and how often it is trained on. */
export interface PairSource {
  /** The table: columns text and positive, optionally negative, type, label and score. */
  readonly file: string;
  /**
   * How often a pass goes through the table; default 1, so that sources have batches in proportion to their sizes. With 2
   * it has twice as many, with 0.5 half: the next pass continues where the last one ended. Above 0, at most 1,000.
   */
  readonly weight?: number;
}

/** What batches are made of. */
export interface PairsOfSource extends Pick<PairTable, "pairs" | "positives"> {
  readonly weight: number;
}

/** A table that was read. */
export interface SourceTable extends PairTable {
  readonly file: string;
  readonly weight: number;
  /** The name of its file, or the whole path where another source's file has the same name. */
  readonly name: string;
}

/** A pass holds every batch of each source, so a weight has a limit. */
const mostWeight = 1000;

/** A file, and behind `=` what is meant as a weight, right or wrong. */
const assigned = /^(.+)=([-+]?(?:[\d.,]+(?:e[-+]?\d+)?|infinity)|nan)$/i;

/** A source as `--pairs FILE` or `--pairs FILE=WEIGHT` gives it. If a file has the whole text as its name, it is taken. */
export async function sourceOf(text: string): Promise<PairSource> {
  const [, file, weight] = assigned.exec(text) ?? [];
  const isWhole = isPostgresAddress(text) && !/[?&]table=/.test(file ?? "");
  if (file === undefined || isWhole || (await exists(text))) return { file: text };
  return { file, weight: Number(weight) };
}

/** Reads the tables of a training. @throws TableError; ArgumentError for a wrong weight, and for a file given twice */
export async function readSources(
  given: string | readonly PairSource[],
  options: WantedColumns,
): Promise<readonly SourceTable[]> {
  const sources = typeof given === "string" ? [{ file: given }] : given;
  if (sources.length === 0) throw new ArgumentError("no pairs: give at least one table");
  const tables: SourceTable[] = [];
  for (const { file, weight = 1 } of sources) {
    if (!(weight > 0 && weight <= mostWeight))
      throw new ArgumentError(
        `${file}: the weight of a table must be a number above 0, at most ${mostWeight}, not ${weight}. ` +
          "With 2 it is trained on twice as often.",
      );
    if (tables.some((table) => resolve(table.file) === resolve(file)))
      throw new ArgumentError(`${file} is given twice. Give it once, with a weight such as ${file}=2.`);
    const isShared = sources.some((other) => other.file !== file && basename(other.file) === basename(file));
    const name = isShared ? file : basename(file);
    tables.push({ ...(await readPairs(file, options)), file, weight, name });
  }
  return tables;
}

/** The fingerprint of all sources. A single one of weight 1 keeps its own. */
export const fingerprintOf = (sources: readonly Pick<SourceTable, "fingerprint" | "weight">[]): string =>
  sources.length === 1 && sources[0].weight === 1
    ? sources[0].fingerprint
    : fingerprint(sources.map((source) => `${source.fingerprint} ${source.weight}`).join("\n"));

/**
 * Batches of several sources in random order.
 * @param batches of each source in a pass, rounded, at least one
 */
export function inTurns(batches: readonly number[], seed: number) {
  const owners = batches.flatMap((count, source) =>
    Array<number>(Math.max(1, Math.round(count))).fill(source),
  );
  const counts = batches.map((_, source) => owners.filter((owner) => owner === source).length);
  const orderOf = epochOrders(owners.length, seed);
  return {
    perPass: owners.length,
    /** The source of a batch, counted from 0 over all passes, and which of its own batches it is. */
    of(index: number): { readonly source: number; readonly turn: number } {
      const [pass, place] = [Math.floor(index / owners.length), index % owners.length];
      const before = orderOf(pass).subarray(0, place);
      const source = owners[orderOf(pass)[place]];
      const done = before.reduce((sum, slot) => sum + Number(owners[slot] === source), 0);
      return { source, turn: pass * counts[source] + done };
    },
  };
}
