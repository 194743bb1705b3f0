/**
 * Several tables of pairs in one training, its sources. A batch mixes them in proportion to their sizes and weights.
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
   * How often a pass goes through the table; default 1, so that sources are trained on in proportion to their sizes. With
   * 0.5 a pass takes half of its pairs, and the next pass the other half. Above 0, at most 1,000.
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
    : fingerprint(["mixed", ...sources.map((source) => `${source.fingerprint} ${source.weight}`)].join("\n"));

/**
 * Numbers of the pairs of a pass over several sources, in random order; pairs are counted over the sources, one after the
 * other. A source takes as many places as its size and weight say, at least one, and each pass continues where the last
 * one ended in it.
 */
export function mixedOrder(sources: readonly Pick<PairsOfSource, "pairs" | "weight">[], seed: number) {
  let before = 0;
  const parts = sources.map(({ pairs: { length }, weight }) => {
    const start = before;
    before += length;
    return {
      start,
      length,
      places: Math.max(1, Math.round(weight * length)),
      orderOf: epochOrders(length, seed),
    };
  });
  const perPass = parts.reduce((sum, { places }) => sum + places, 0);
  const shuffled = epochOrders(perPass, seed + 1);
  return {
    perPass,
    of(pass: number): Int32Array {
      const drawn = parts.flatMap(({ start, length, places, orderOf }) =>
        Array.from({ length: places }, (_, place) => {
          const at = pass * places + place;
          return start + orderOf(Math.floor(at / length))[at % length];
        }),
      );
      // the order of one source is random as it is
      return parts.length === 1 ? Int32Array.from(drawn) : shuffled(pass).map((place) => drawn[place]);
    },
  };
}
