/** Counts the rows kept and removed, by source and reason. */
export class Tally {
  /** @type {Record<string, Record<string, number>>} */
  #leftOut = {};
  /** @type {Record<string, Record<string, number>>} */
  #kept = {};

  /** @param {string} where @param {string} why */
  leftOut(where, why) {
    add(this.#leftOut, where, why);
  }

  /** @param {string} where @param {string} what */
  kept(where, what) {
    add(this.#kept, where, what);
  }

  toJSON() {
    return { kept: this.#kept, leftOut: this.#leftOut };
  }
}

/** @param {Record<string, Record<string, number>>} counts @param {string} where @param {string} what */
function add(counts, where, what) {
  counts[where] ??= {};
  counts[where][what] = (counts[where][what] ?? 0) + 1;
}
