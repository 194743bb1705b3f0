/** Pairs of phrases from users' files: paraphrases, synonyms, short and long forms, looked up both ways. */
import { TableError } from "../../errors.js";
import { Table } from "../../table/table.js";
import { likeCaseOf } from "./phrase/letter-case.js";
import { othersThan } from "./rule.js";

/** Phrases by phrase; a pair is found from either side. */
export interface PairTable {
  /** Different pairs, whichever way round. */
  readonly size: number;
  /** The partners of a phrase as the files write it, else of the phrase in other letter case; empty if unknown. */
  partners(phrase: string): readonly string[];
}

/**
 * Reads tables whose first two columns are the two sides of a pair (a header line is recognised by its looks; further
 * columns are ignored). Only direct partners are kept, so a circle of pairs (a-b, b-c, c-a) leads nowhere twice and
 * never back to the phrase itself; pairs of equal phrases, or with an empty side, are passed over.
 * @throws TableError with file and cure where there are not two columns
 */
export async function readPairTable(paths: readonly string[]): Promise<PairTable> {
  const pairs = new PairCollector();
  for (const path of paths) await readPairs(path, pairs);
  return pairs.finish();
}

/** A pair table from pairs in memory. */
export function pairTable(pairs: Iterable<readonly [string, string]>): PairTable {
  const collector = new PairCollector();
  for (const [left, right] of pairs) collector.add(left, right);
  return collector.finish();
}

async function readPairs(path: string, pairs: PairCollector): Promise<void> {
  const table = await Table.open(path, { column: "1" });
  try {
    const { columns } = table.description;
    if (columns.length < 2) {
      throw new TableError(
        `${path}: expected two columns, a phrase and its counterpart, and found one. Separate them by a tab or comma.`,
      );
    }
    const rights = table.columnValues("2");
    for await (const lefts of table.columnValues("1")) {
      const { value } = await rights.next();
      lefts.forEach((left, row) => {
        pairs.add(left, (value as string[])[row]);
      });
    }
  } finally {
    await table.close();
  }
}

class PairCollector {
  private readonly exact = new Map<string, string[]>();
  private count = 0;

  add(left: string, right: string): void {
    const [a, b] = [normalSpaces(left), normalSpaces(right)];
    if (a === "" || b === "" || a.toLowerCase() === b.toLowerCase()) return;
    if (this.put(a, b)) this.count++;
    this.put(b, a);
  }

  private put(from: string, to: string): boolean {
    const known = this.exact.get(from);
    if (known === undefined) this.exact.set(from, [to]);
    else if (known.includes(to)) return false;
    else known.push(to);
    return true;
  }

  finish(): PairTable {
    const { exact, count } = this;
    const folded = new Map<string, string[]>();
    for (const [from, to] of exact) {
      const key = from.toLowerCase();
      const known = folded.get(key);
      if (known === undefined) folded.set(key, to);
      else if (known !== to) folded.set(key, [...new Set([...known, ...to])]);
    }
    return {
      size: count,
      partners: (phrase) => {
        const found = exact.get(phrase);
        if (found !== undefined) return othersThan(phrase, found);
        const near = folded.get(phrase.toLowerCase());
        if (near === undefined) return [];
        return othersThan(
          phrase,
          near.map((text) => likeCaseOf(phrase, text, "")),
        );
      },
    };
  }
}

function normalSpaces(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}
