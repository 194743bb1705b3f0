/** Numbers as people read them: sizes, counts, durations. */
import { formatCount } from "../files/count-text.js";

export { formatCount };

/** A size in bytes in decimal units, e.g. `133 MB` (1 MB = 1,000,000 bytes). */
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

/** A fraction as a percentage, e.g. `12.5 %`. */
export const formatPercent = (fraction: number, digits = 1): string =>
  `${(100 * fraction).toFixed(digits)} %`;

/** A count with its noun, e.g. `1 phrase`, `1,200 phrases`; `plural` is for nouns that do not add s. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`;
