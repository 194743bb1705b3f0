/** How equal two cells are as they are written, before anything is folded. */

/** 2 for equal texts, 1 for those that differ in case alone, else 0. */
export const sameness = (a: string, b: string): number =>
  a === b ? 2 : a.length === b.length && a.toLowerCase() === b.toLowerCase() ? 1 : 0;
