/** The words of whole rows, over all columns. */
import type { PreparedTables } from "./fields.js";
import type { ValuedColumn } from "./value-set.js";
import { countWords, type Lists, ListsBuilder, rarities } from "./vocabulary.js";

export interface RowWords {
  /** Different words of each row, in their order. For a single table both sides are the same. */
  readonly left: Lists;
  readonly right: Lists;
  /** Those with a digit. */
  readonly leftCodes: Lists;
  readonly rightCodes: Lists;
  /** By word: rows of both tables with it, and its rarity. */
  readonly rows: Uint32Array;
  readonly rarity: Float32Array;
}

export function rowWords({ isOneTable, rows, fields, alone, vocabulary }: PreparedTables): RowWords {
  const gather = (side: "left" | "right", own: readonly ValuedColumn[], count: number): Lists => {
    const lists = new ListsBuilder();
    const columns = [
      ...fields.map((field) => ({ set: field.set, values: field[side] })),
      ...own.map(({ set, left }) => ({ set, values: left })),
    ];
    for (let row = 0; row < count; row++) {
      const words = new Set<number>();
      for (const { set, values } of columns) {
        if (values[row] < 0) continue;
        const { starts, items } = set.words;
        for (let place = starts[values[row]]; place < starts[values[row] + 1]; place++)
          words.add(items[place]);
      }
      lists.push(Uint32Array.from(words));
    }
    return lists.finish();
  };
  const left = gather("left", alone[0], rows[0]);
  const right = isOneTable ? left : gather("right", alone[1], rows[1]);
  const count = vocabulary.words.length;
  const found = countWords(left, count);
  if (!isOneTable) countWords(right, count).forEach((rowsWith, word) => (found[word] += rowsWith));
  const isCode = Uint8Array.from(vocabulary.words, (word) => (/\d/.test(word) ? 1 : 0));
  const leftCodes = chosen(left, isCode);
  const codes = { leftCodes, rightCodes: isOneTable ? leftCodes : chosen(right, isCode) };
  return {
    left,
    right,
    ...codes,
    rows: found,
    rarity: rarities(found, isOneTable ? rows[0] : rows[0] + rows[1]),
  };
}

/** The items of each list that are flagged. */
function chosen({ starts, items }: Lists, flags: Uint8Array): Lists {
  const lists = new ListsBuilder();
  for (let list = 0; list + 1 < starts.length; list++)
    lists.push(items.subarray(starts[list], starts[list + 1]).filter((item) => flags[item] === 1));
  return lists.finish();
}
