/** Classes of rows that are united pair by pair, and numbers of classes. */

/** Classes of rows, at first one each; the first row of a class is its root. */
export function rowClasses(size: number) {
  const root = Int32Array.from({ length: size }, (_, row) => row);
  const rootOf = (row: number): number => {
    let top = row;
    while (root[top] !== top) {
      root[top] = root[root[top]];
      top = root[top];
    }
    return top;
  };
  const unite = (a: number, b: number): void => {
    const [x, y] = [rootOf(a), rootOf(b)];
    if (x < y) root[y] = x;
    else root[x] = y;
  };
  return { rootOf, unite, roots: (): Int32Array => root.map((_, row) => rootOf(row)) };
}

/** The number of each label, by first occurrence from 0. */
export function numbered(labels: Int32Array): Int32Array {
  const numbers = new Map<number, number>();
  return labels.map((label) => {
    const number = numbers.get(label) ?? numbers.size;
    numbers.set(label, number);
    return number;
  });
}
