/**
 * Assigns entities to groups of rows. An entity lives on in the group that holds most of its rows; in a
 * group of several the oldest one lives on, and the others become further names of it.
 */
import { groupBy } from "../match/group-by.js";

export interface LinkedRow {
  /** Number in the store. */
  readonly row: number;
  /** Entity before; 0 for a new row. */
  readonly entity: number;
  /** Whether the row is as it was when it got its entity. */
  readonly isSame: boolean;
}

/** What happened to an entity; `rows` are places in the given rows. */
export interface EntityChange {
  /**
   * changed: the rows have other cells and stay; merged: the entity `other` became a name of this one; split: the rows left
   * `other`.
   */
  readonly kind: "created" | "joined" | "changed" | "merged" | "split";
  readonly entity: number;
  readonly other?: number;
  readonly rows: readonly number[];
}

/** A changed row must not take its entity away from rows that stay. */
const changedWeight = 1e-6;

/** @param groups group of each row @returns the entity of each row, and what happened to the entities */
export function reconcile(rows: readonly LinkedRow[], groups: ArrayLike<number>, nextEntity: number) {
  const members = groupBy(rows.keys(), (place) => groups[place]);
  const homes = homesOf(rows, groups);
  const heirs = groupBy(
    [...homes.keys()].sort((a, b) => a - b),
    (entity) => homes.get(entity)!,
  );
  const entities = new Int32Array(rows.length);
  const changes: EntityChange[] = [];
  let next = nextEntity;
  for (const [group, places] of members) {
    const [oldest, ...others] = heirs.get(group) ?? [];
    const entity = oldest ?? next++;
    for (const place of places) entities[place] = entity;
    const before = groupBy(places, (place) => rows[place].entity);
    const fresh = before.get(0) ?? [];
    const kind = oldest === undefined ? "created" : "joined";
    if (fresh.length > 0) changes.push({ kind, entity, rows: fresh });
    const changed = (before.get(entity) ?? []).filter((place) => !rows[place].isSame);
    if (changed.length > 0) changes.push({ kind: "changed", entity, rows: changed });
    for (const [other, moved] of before) {
      if (other === 0 || other === entity) continue;
      changes.push({ kind: others.includes(other) ? "merged" : "split", entity, other, rows: moved });
    }
  }
  return { entities, changes, nextEntity: next };
}

/** The group that each entity lives on in: the first of those that hold most of it. */
function homesOf(rows: readonly LinkedRow[], groups: ArrayLike<number>): Map<number, number> {
  const shares = new Map<number, Map<number, number>>();
  rows.forEach(({ entity, isSame }, place) => {
    if (entity === 0) return;
    const ofEntity = shares.get(entity) ?? new Map<number, number>();
    shares.set(entity, ofEntity);
    ofEntity.set(groups[place], (ofEntity.get(groups[place]) ?? 0) + (isSame ? 1 : changedWeight));
  });
  return new Map(
    [...shares].map(([entity, ofEntity]) => {
      const [[home]] = [...ofEntity].sort(([, a], [, b]) => b - a);
      return [entity, home];
    }),
  );
}
