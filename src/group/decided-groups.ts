/** Applies what is sure about a table's rows to its groups: equal rows, and the decisions of a person. */
import { disjointSets, numbered } from "../disjoint-sets.js";
import { ArgumentError } from "../errors.js";
import type { KnownPair } from "../match/compare-tables.js";
import { groupBy } from "../match/group-by.js";

/** @throws ArgumentError for decisions that make rejected pairs the same by way of confirmed ones */
export function refuseContradictions(size: number, known: readonly KnownPair[]): void {
  confirmedClasses(size, known);
}

/**
 * Labels rows by the first row of a class: rows that are equal or confirmed. Equal rows are not brought together against a
 * decision.
 *
 * @param keyOf equal for rows that are equal; undefined for a row that is not to be compared
 * @throws ArgumentError for decisions that contradict each other
 */
export function sureRows(
  size: number,
  keyOf: (row: number) => string | undefined,
  known: readonly KnownPair[],
): Int32Array {
  const { rootOf, unite, roots } = confirmedClasses(size, known);
  const rejected = known.filter(({ match }) => !match);
  const areFoes = (a: number, b: number): boolean =>
    rejected.some(({ left, right }) => {
      const [x, y] = [rootOf(left), rootOf(right)];
      return (x === a && y === b) || (x === b && y === a);
    });
  const firstOf = new Map<string, number>();
  for (let row = 0; row < size; row++) {
    const key = keyOf(row);
    if (key === undefined) continue;
    const first = firstOf.get(key) ?? row;
    firstOf.set(key, first);
    if (!areFoes(rootOf(first), rootOf(row))) unite(first, row);
  }
  return roots();
}

function confirmedClasses(size: number, known: readonly KnownPair[]) {
  const classes = disjointSets(size);
  for (const { left, right, match } of known) if (match) classes.unite(left, right);
  for (const { left, right, match } of known)
    if (!match && classes.rootOf(left) === classes.rootOf(right))
      throw new ArgumentError(
        `rows ${left + 1} and ${right + 1} are decided to differ, but other decisions make them the same. ` +
          "Correct one of these decisions.",
      );
  return classes;
}

/**
 * The groups after decisions, numbered by first row: rows that are sure are together, rejected pairs are apart.
 * @param probabilityOf decides which part of a divided group a row belongs to
 */
export function decidedGroups(
  groupOf: ArrayLike<number>,
  sureOf: Int32Array,
  known: readonly KnownPair[],
  probabilityOf: (a: number, b: number) => number,
): Int32Array {
  const firstOf = new Map<number, number>();
  const classes = disjointSets(sureOf.length);
  for (const [row, label] of sureOf.entries()) {
    const first = firstOf.get(groupOf[row]) ?? row;
    firstOf.set(groupOf[row], first);
    classes.unite(label, row);
    classes.unite(first, row);
  }
  const merged = classes.roots();
  const foes = new Map<number, Set<number>>();
  const note = (label: number, foe: number): void =>
    void foes.set(label, (foes.get(label) ?? new Set()).add(foe));
  for (const { left, right, match } of known) {
    if (match) continue;
    note(sureOf[left], sureOf[right]);
    note(sureOf[right], sureOf[left]);
  }
  const divided = new Set([...foes.keys()].map((label) => merged[label]));
  const partOf = new Map<number, number>();
  for (const [group, labels] of groupBy(new Set(sureOf), (label) => merged[label]))
    if (divided.has(group)) {
      for (const part of dividedLabels(labels, foes, probabilityOf))
        for (const label of part) partOf.set(label, part[0]);
    }
  return numbered(sureOf.map((label, row) => partOf.get(label) ?? merged[row]));
}

/** Divides labels into parts without foes; each joins the part whose first row it equals most likely. */
function dividedLabels(
  labels: readonly number[],
  foes: ReadonlyMap<number, ReadonlySet<number>>,
  probabilityOf: (a: number, b: number) => number,
): number[][] {
  const parts: number[][] = [];
  for (const label of labels) {
    const open = parts.filter((part) => !part.some((other) => foes.get(label)?.has(other)));
    if (open.length === 0) parts.push([label]);
    else {
      const likelihood = open.map((part) => probabilityOf(part[0], label));
      open[likelihood.indexOf(Math.max(...likelihood))].push(label);
    }
  }
  return parts;
}
