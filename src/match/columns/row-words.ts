/** The words of whole rows, over all columns. */

import { shared } from "../../runtime/shared-array.js";
import { hasDigit } from "../cells/cell-words.js";
import type { PreparedTables } from "./fields.js";
import { countWords, type Lists, ListsBuilder, rarities } from "./lists.js";
import { eachText, textCount } from "./texts.js";
import type { ValuedColumn, ValueSet } from "./value-set.js";

export interface RowWords {
  /** Different words of each row, in their order. For a single table both sides are the same. */
  readonly left: Lists;
  readonly right: Lists;
  /** By word: 1 for a word with a digit. */
  readonly isCode: Uint8Array;
  /** By word: its rarity in the rows of both tables. */
  readonly rarity: Float32Array;
}

export interface CountedWords extends RowWords {
  /** By word: rows of both tables with it. */
  readonly rows: Uint32Array;
}

interface Cells {
  readonly set: ValueSet;
  readonly values: Int32Array;
}

/** Words of columns that one table alone has count where the other table has them too: others meet nothing. */
export function rowWords({ isOneTable, rows, fields, alone, vocabulary }: PreparedTables): CountedWords {
  const columnsOf = (side: "left" | "right", own: readonly ValuedColumn[]) => ({
    compared: fields.map((field): Cells => ({ set: field.set, values: field[side] })),
    own: own.map(({ set, left }): Cells => ({ set, values: left })),
  });
  const count = textCount(vocabulary);
  const [ofLeft, ofRight] = [columnsOf("left", alone[0]), columnsOf("right", alone[1])];
  const gather = ({ compared, own }: typeof ofLeft, size: number, other: typeof ofLeft): Lists => {
    const known = own.length > 0 ? wordsIn([...other.compared, ...other.own], count) : new Uint8Array(0);
    const lastRow = new Int32Array(count).fill(-1);
    const lists = new ListsBuilder();
    const words: number[] = [];
    const add = ({ set: { words: ofValues }, values }: Cells, row: number, isOwn: boolean): void => {
      if (values[row] < 0) return;
      const end = ofValues.starts[values[row] + 1];
      for (let place = ofValues.starts[values[row]]; place < end; place++) {
        const word = ofValues.items[place];
        if (lastRow[word] === row || (isOwn && known[word] === 0)) continue;
        lastRow[word] = row;
        words.push(word);
      }
    };
    for (let row = 0; row < size; row++) {
      words.length = 0;
      for (const cells of compared) add(cells, row, false);
      for (const cells of own) add(cells, row, true);
      lists.push(words);
    }
    return lists.finish();
  };
  const left = gather(ofLeft, rows[0], ofRight);
  const right = isOneTable ? left : gather(ofRight, rows[1], ofLeft);
  const found = countWords(left, count);
  if (!isOneTable) countWords(right, count).forEach((rowsWith, word) => (found[word] += rowsWith));
  const isCode = shared(Uint8Array, count);
  let word = 0;
  for (const text of eachText(vocabulary)) isCode[word++] = hasDigit(text) ? 1 : 0;
  const rarity = rarities(found, isOneTable ? rows[0] : rows[0] + rows[1]);
  return { left, right, isCode, rarity, rows: found };
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
