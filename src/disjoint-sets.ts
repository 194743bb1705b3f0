/** Disjoint sets of numbers (union-find with path halving): which of them belong together. */
export interface DisjointSets {
  /** A number of the same set, equal for all of it. */
  setOf(item: number): number;
  unite(one: number, other: number): void;
}

/** Every number is a set of its own at first. */
export function disjointSets(): DisjointSets {
  const parents = new Map<number, number>();
  const setOf = (item: number): number => {
    let at = item;
    for (let up = parents.get(at); up !== undefined; up = parents.get(at)) {
      const above = parents.get(up);
      if (above !== undefined) parents.set(at, above);
      at = up;
    }
    return at;
  };
  const unite = (one: number, other: number): void => {
    const [from, to] = [setOf(one), setOf(other)];
    if (from !== to) parents.set(from, to);
  };
  return { setOf, unite };
}
