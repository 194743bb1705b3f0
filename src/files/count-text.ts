/** Counts for people. */

/** A whole number with commas: 1,234,567. (toLocaleString would first load its tables for 20 ms.) */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ",");
}
