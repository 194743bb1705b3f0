/** Whether a cell of a review file is the table's, as far as a spreadsheet program may have written it differently. */

const plain = (cell: string): string => cell.replace(/\s+/g, " ").trim();
/** Numbers, dates and times, also with an exponent; no words. */
const rewritable = /^[\s.,:/+\-()]*\d[\d\s.,:/+\-()]*(E[+-]?\d+)?$/i;
const numberOf = (cell: string): number => Number(cell.replace(",", "."));

/**
 * Spreadsheets rewrite numbers and dates ("007" as 7, "2020-01-31" as 31.01.20), but no words. "rewritten" says that the
 * two may be the same.
 */
export function compareCells(written: string, own: string): "same" | "rewritten" | "other" {
  const [a, b] = [plain(written), plain(own)];
  if (a === b) return "same";
  if (!rewritable.test(a) || !rewritable.test(b)) return "other";
  return numberOf(a) === numberOf(b) ? "same" : "rewritten";
}
