/** Work on rows or pairs that threads can share: each kind is opened with its settings and then does part after part. */
import { openSearch } from "../candidates/row-search.js";
import { openComparison } from "../evidence/pair-evidence.js";
import { createRanker } from "../rank-rows.js";

const works = {
  search: openSearch,
  compare: openComparison,
  rank: createRanker,
};

export type WorkKind = keyof typeof works;
export type Settings<Kind extends WorkKind> = Parameters<(typeof works)[Kind]>[0];
export type Part<Kind extends WorkKind> = Parameters<ReturnType<(typeof works)[Kind]>>[0];
export type Result<Kind extends WorkKind> = ReturnType<ReturnType<(typeof works)[Kind]>>;
type Work<Kind extends WorkKind> = (part: Part<Kind>) => Result<Kind>;

export function openWork<Kind extends WorkKind>(kind: Kind, settings: Settings<Kind>): Work<Kind> {
  const open = works[kind] as unknown as (settings: Settings<Kind>) => Work<Kind>;
  return open(settings);
}
