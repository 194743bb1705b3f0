/** The words of whole rows, over all columns. */
import type { PreparedTables } from "./fields.js";
import { eachText, textCount } from "./texts.js";
import type { ValuedColumn, ValueSet } from "./value-set.js";
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

interface Cells {
  readonly set: ValueSet;
  readonly values: Int32Array;
}

/** Words of columns that one table alone has count where the other table has them too: others meet nothing. */
export function rowWords({ isOneTable, rows, fields, alone, vocabulary }: PreparedTables): RowWords {
  const columnsOf = (side: "left" | "right", own: readonly ValuedColumn[]) => ({
    compared: fields.map((field): Cells => ({ set: field.set, values: field[side] })),
    own: own.map(({ set, left }): Cells => ({ set, values: left })),
  });
  const [ofLeft, ofRight] = [columnsOf("left", alone[0]), columnsOf("right", alone[1])];
  const gather = ({ compared, own }: typeof ofLeft, count: number, other: typeof ofLeft): Lists => {
    const known = wordsIn([...other.compared, ...other.own], textCount(vocabulary));
    const lists = new ListsBuilder();
    for (let row = 0; row < count; row++) {
      const words = new Set<number>();
      for (const cells of compared) for (const word of cellItems(cells, row)) words.add(word);
      for (const cells of own)
        for (const word of cellItems(cells, row)) if (known[word] === 1) words.add(word);
      lists.push(Uint32Array.from(words));
    }
    return lists.finish();
  };
  const left = gather(ofLeft, rows[0], ofRight);
  const right = isOneTable ? left : gather(ofRight, rows[1], ofLeft);
  const count = textCount(vocabulary);
  const found = countWords(left, count);
  if (!isOneTable) countWords(right, count).forEach((rowsWith, word) => (found[word] += rowsWith));
  const isCode = Uint8Array.from(eachText(vocabulary), (word) => (/\d/.test(word) ? 1 : 0));
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

/** The words of a row's cell. */
function cellItems({ set: { words }, values }: Cells, row: number): Uint32Array {
  return values[row] < 0
    ? new Uint32Array(0)
    : words.items.subarray(words.starts[values[row]], words.starts[values[row] + 1]);
}

/** 1 for each word that occurs in the cells. */
function wordsIn(columns: readonly Cells[], count: number): Uint8Array {
  const found = new Uint8Array(count);
  for (const { set, values } of columns)
    for (let row = 0; row < values.length; row++)
      for (const word of cellItems({ set, values }, row)) found[word] = 1;
  return found;
}

/** The items of each list that are flagged. */
function chosen({ starts, items }: Lists, flags: Uint8Array): Lists {
  const lists = new ListsBuilder();
  for (let list = 0; list + 1 < starts.length; list++)
    lists.push(items.subarray(starts[list], starts[list + 1]).filter((item) => flags[item] === 1));
  return lists.finish();
}
