/** The rows of keys, as many as there are. */
import { fnv } from "../files/checksums/fnv.js";

/** A map of JavaScript has room for 16.7 million texts. */
const mapCount = 256;

/** The row of each key, in several maps: each has its share of the keys. */
export class KeyRows {
  readonly #maps = Array.from({ length: mapCount }, () => new Map<string, number>());

  /** The rows of an index, some at a time. */
  static async of(batches: AsyncIterable<readonly { key: string; row: number }[]>): Promise<KeyRows> {
    const keys = new KeyRows();
    for await (const rows of batches) for (const { key, row } of rows) keys.set(key, row);
    return keys;
  }

  get(key: string): number | undefined {
    return this.#mapOf(key).get(key);
  }

  set(key: string, row: number): void {
    this.#mapOf(key).set(key, row);
  }

  delete(key: string): void {
    this.#mapOf(key).delete(key);
  }

  #mapOf(key: string): Map<string, number> {
    const hash = fnv(key);
    return this.#maps[(hash ^ (hash >>> 16)) & (mapCount - 1)];
  }
}
