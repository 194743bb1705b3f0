/** What the page asks of pearl's worker, and what it gets. */
import type { MessagePort } from "node:worker_threads";
import type { DuplicateRow } from "../group/kept-rows.js";
import type { FoundDuplicates } from "../group/roads.js";
import type { JoinKind } from "../join/options.js";
import type { JoinFindings } from "../join/roads.js";
import type { TableColumns } from "../match/columns/align.js";
import type { ColumnOptions } from "../match/columns/fields.js";
import type { KnownPair, RowMatch } from "../match/compare-tables.js";

/** What crosses to the worker with every call: a port for its progress, and for the page's wish to stop. */
export interface Call {
  readonly port: MessagePort;
}

/** Sent by the worker. */
export interface Progress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** Where a model runs in a browser. */
export type Device = "cpu" | "webgpu";

/** A device, or "auto": WebGPU where it works on a GPU, else the CPU. It does not measure which is faster. */
export type DeviceChoice = Device | "auto";

/** What join and dedupe compare and promise. Rows are counted from 0. */
export interface MatchOptions extends ColumnOptions {
  /** The promised precision. Default 0.9. */
  readonly precision?: number;
  /** Judged pairs of rows. */
  readonly known?: readonly KnownPair[];
  /** "each" adds the reason to each match. Default "none". */
  readonly explain?: "each" | "none";
}

/** The same for a join, and how many partners a row may have. */
export interface JoinOptions extends MatchOptions {
  /** Default: found from the tables; many-to-one where one column is compared. */
  readonly kind?: JoinKind;
}

/** A match, and why, where that was asked for. */
export interface Match extends RowMatch {
  readonly why?: string;
}

/** What a join found, as `pearl join` finds it. */
export interface JoinResult extends JoinFindings {
  /** By right row, then the likeliest first. If the promise is not established, likely, but not verified. */
  readonly matches: readonly Match[];
  /** The estimate with its range, and whether it establishes the promise, as the command line says it. */
  readonly summary: string;
}

/** A row that repeats another, and why, where that was asked for. */
export interface Duplicate extends DuplicateRow {
  readonly why?: string;
}

/** What a search for duplicates found, as `pearl dedupe` finds it. */
export interface DedupeResult extends Omit<FoundDuplicates, "groups"> {
  readonly groups: readonly { readonly kept: number; readonly others: readonly Duplicate[] }[];
  /** Rows to keep, ascending. If the promise is not established, only rows go that are equal or confirmed. */
  readonly kept: Int32Array;
  /** The other rows, ascending. */
  readonly removed: readonly Duplicate[];
  readonly summary: string;
}

/** A phrase by its place, and its cosine with the query. */
export interface Hit {
  readonly row: number;
  readonly score: number;
}

/** The number of an encoder, which the page gives. */
export type EncoderId = number;

// The payload of each method of the worker.

export interface LoadCall extends Call {
  readonly id: EncoderId;
  /** Address of the model's folder. */
  readonly address: string;
  readonly threads?: number;
  readonly device: DeviceChoice;
}
export interface LoadReply {
  readonly dimension: number;
  readonly device: Device;
  readonly notes: readonly string[];
}
export interface PhrasesCall extends Call {
  readonly id: EncoderId;
  readonly phrases: readonly string[];
}
export interface EncodeCall extends PhrasesCall {
  readonly options: { readonly normalize?: boolean; readonly truncateDim?: number };
}
export interface SimilarityCall extends Call {
  readonly id: EncoderId;
  readonly a: readonly string[];
  readonly b: readonly string[];
}
export interface IndexCall extends PhrasesCall {
  /** The number of the searched phrases, which the page gives. */
  readonly index: number;
}
export interface SearchCall extends IndexCall {
  readonly k: number;
}
export interface JoinCall extends Call {
  readonly encoder: EncoderId | "none";
  readonly left: TableColumns;
  readonly right: TableColumns;
  readonly options: JoinOptions;
}
export interface DedupeCall extends Call {
  readonly encoder: EncoderId;
  readonly columns: TableColumns;
  readonly options: MatchOptions;
}
