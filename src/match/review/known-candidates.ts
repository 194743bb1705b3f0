/** Judged pairs among the candidates: answers count whether or not a search found the pair. */
import type { ComparedTables, KnownPair } from "../compare-tables.js";
import { SortedRows } from "../weights/left-rows.js";
import { classCount, joined, pairClasses, roomFor, withRoom } from "../weights/pair-classes.js";
import { placeOf, rowsInOrder } from "../weights/pair-table.js";

/** The tables with all judged pairs among their candidates; the same object if they are. @param known by prepared rows */
export function withKnownPairs(compared: ComparedTables, known: Iterable<KnownPair>): ComparedTables {
  const added = unfoundPairs(compared, known);
  if (added.length === 0) return compared;
  const { columns, comparison, rows } = compared;
  const levels = columns.map(() => new Int8Array(added.length));
  for (const [place, [left, right]] of added.entries()) comparison.compare(left, right, levels, place);
  const own = pairClasses(levels);
  const classes = classCount(compared);
  const total = compared.left.length + added.length;
  const [left, right] = [new Int32Array(total), new Int32Array(total)];
  const classOf = withRoom(roomFor(total), total);
  for (let [place, next] = [0, 0]; place < total; place++) {
    const pair = place - next;
    const row = compared.left.at(pair)!;
    const [a, b] = added[next] ?? [Infinity, 0];
    if (pair === compared.left.length || a < row || (a === row && b < compared.right[pair])) {
      left[place] = a;
      right[place] = b;
      classOf[place] = classes + own.classOf[next++];
    } else {
      left[place] = row;
      right[place] = compared.right[pair];
      classOf[place] = compared.classOf[pair];
    }
  }
  return {
    ...{ ...compared, right, classOf, left: SortedRows.of(left, rows[0]) },
    levels: compared.levels.map((ofColumn, column) => joined(ofColumn, own.levels[column])),
  };
}

/** Judged pairs that are no candidates, each once, in the order of candidates. */
function unfoundPairs(compared: ComparedTables, known: Iterable<KnownPair>): (readonly [number, number])[] {
  const found = new Map<number, readonly [number, number]>();
  for (const pair of known) {
    const [a, b] = rowsInOrder(compared, pair);
    const isItself = compared.isOneTable && a === b;
    if (!isItself && placeOf(compared, a, b) < 0) found.set(a * compared.rows[1] + b, [a, b]);
  }
  return [...found.values()].sort(([a, b], [c, d]) => a - c || b - d);
}
