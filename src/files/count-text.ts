/** Counts as people read them. */

/** A whole number with commas: 1,234,567. (toLocaleString would load its tables first, for 20 ms.) */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}
