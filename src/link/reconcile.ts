/**
 * Assigns entities to groups of rows. An entity lives on in the group that holds most of its rows; in a
 * group of several the oldest one lives on, and the others become further names of it.
 */
import { groupBy } from "../by-key.js";
import { placesByNumber } from "../places-by-number.js";

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

/** @param groups group of each row @returns the entity of each row, and what happened to the entities, by group */
export function reconcile(rows: readonly LinkedRow[], groups: ArrayLike<number>, nextEntity: number) {
  const placesOf = placesByNumber(Int32Array.from(groups));
  const groupCount = placesOf.starts.length - 1;
  const homes = homesOf(rows, groups, nextEntity);
  const heirs = placesByNumber(homes, groupCount);
  const ofGroup = (group: number): Uint32Array =>
    placesOf.order.subarray(placesOf.starts[group], placesOf.starts[group + 1]);
  const isFirst = (place: number): boolean => placesOf.order[placesOf.starts[groups[place]]] === place;
  const entities = new Int32Array(rows.length);
  let next = nextEntity;
  for (let place = 0; place < rows.length; place++) {
    const group = groups[place];
    if (!isFirst(place)) continue;
    const isNew = heirs.starts[group] === heirs.starts[group + 1];
    const entity = isNew ? next++ : heirs.order[heirs.starts[group]];
    for (const member of ofGroup(group)) entities[member] = entity;
  }
  function* changesOf(group: number, entity: number): Generator<EntityChange> {
    const before = groupBy(ofGroup(group), (place) => rows[place].entity);
    const fresh = before.get(0) ?? [];
    const kind = entity >= nextEntity ? "created" : "joined";
    if (fresh.length > 0) yield { kind, entity, rows: fresh };
    const changed = (before.get(entity) ?? []).filter((place) => !rows[place].isSame);
    if (changed.length > 0) yield { kind: "changed", entity, rows: changed };
    for (const [other, moved] of before) {
      if (other === 0 || other === entity) continue;
      yield { kind: homes[other] === group ? "merged" : "split", entity, other, rows: moved };
    }
  }
  const changes: Iterable<EntityChange> = {
    *[Symbol.iterator]() {
      for (let place = 0; place < rows.length; place++)
        if (isFirst(place)) yield* changesOf(groups[place], entities[place]);
    },
  };
  return { entities, changes, nextEntity: next };
}

/** By entity, the group that it lives on in: the first of those that hold most of it; -1 for one without rows. */
function homesOf(rows: readonly LinkedRow[], groups: ArrayLike<number>, nextEntity: number): Int32Array {
  const entityOf = Int32Array.from({ length: rows.length }, (_, place) => rows[place].entity);
  const { starts, order } = placesByNumber(entityOf, nextEntity);
  const homes = new Int32Array(nextEntity).fill(-1);
  for (let entity = 1; entity < nextEntity; entity++) {
    const shares = new Map<number, number>();
    for (const place of order.subarray(starts[entity], starts[entity + 1])) {
      const share = rows[place].isSame ? 1 : changedWeight;
      shares.set(groups[place], (shares.get(groups[place]) ?? 0) + share);
    }
    let most = 0;
    for (const [group, share] of shares)
      if (share > most) {
        most = share;
        homes[entity] = group;
      }
  }
  return homes;
}
