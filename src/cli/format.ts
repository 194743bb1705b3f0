/** Numbers and tables as people read them: sizes, counts, durations, aligned columns. */
export { formatCount } from "../count-text.js";

/** A size in bytes with a binary-free unit, e.g. `133 MB` (1 MB = 1,000,000 bytes, as disks count). */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** A duration in seconds as `0.4 s`, `12 s`, `3 min 5 s` or `2 h 10 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/**
 * Rows as aligned columns with two spaces between, the first row being the heading.
 *
 * @param options.right indices of columns aligned to the right (numbers); default none
 */
export function formatTable(
  rows: readonly (readonly string[])[],
  options: { readonly right?: readonly number[] } = {},
): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
    });
  }
  const pad = (cell: string, column: number): string => {
    const space = " ".repeat(widths[column] - displayWidth(cell));
    return options.right?.includes(column) ? space + cell : cell + space;
  };
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** Columns a text takes on a terminal: wide East Asian characters take two, combining marks none. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mark}/u.test(character)) continue;
    const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60]/u;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}
