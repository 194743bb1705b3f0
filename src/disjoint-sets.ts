/** Disjoint sets of the numbers below a size (union-find with path halving), and numbers of sets. */

/** Every number is a set of its own at first; the smallest number of a set is its root. */
export function disjointSets(size: number) {
  const parents = Int32Array.from({ length: size }, (_, item) => item);
  const rootOf = (item: number): number => {
    let top = item;
    while (parents[top] !== top) {
      parents[top] = parents[parents[top]];
      top = parents[top];
    }
    return top;
  };
  const unite = (a: number, b: number): void => {
    const [x, y] = [rootOf(a), rootOf(b)];
    parents[Math.max(x, y)] = Math.min(x, y);
  };
  return { rootOf, unite, roots: (): Int32Array => parents.map((_, item) => rootOf(item)) };
}

/** Equal numbers for rows that have an equal number in any of the lists, also over several rows. */
export function joinedRows(...lists: readonly ArrayLike<number>[]): Int32Array {
  const { unite, roots } = disjointSets(lists[0].length);
  for (const list of lists) {
    const first = new Map<number, number>();
    for (let row = 0; row < list.length; row++) {
      const earlier = first.get(list[row]);
      if (earlier === undefined) first.set(list[row], row);
      else unite(earlier, row);
    }
  }
  return roots();
}

/** The number of each label, by first occurrence from 0. */
export function numbered<Label>(labels: Iterable<Label>): Int32Array {
  const numbers = new Map<Label, number>();
  const numberOf = (label: Label): number => {
    const number = numbers.get(label) ?? numbers.size;
    numbers.set(label, number);
    return number;
  };
  return Int32Array.from(labels, numberOf);
}

/** The same for labels below the number of rows, such as roots: without a map, which has room for 16 million labels. */
export function numberedRows(labels: Int32Array): Int32Array {
  const numbers = new Int32Array(labels.length).fill(-1);
  let count = 0;
  return labels.map((label) => {
    if (numbers[label] < 0) numbers[label] = count++;
    return numbers[label];
  });
}
