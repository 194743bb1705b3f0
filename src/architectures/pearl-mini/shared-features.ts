/** Fills the inputs of a word encoder without tables: what a word gets from them is kept for many batches. */
import type { Featurizer, SharedGraph } from "../architecture.js";
import type { Numbers, WordStore } from "./features.js";
import { knownWords, numbersOf, scalesOf, storeFeaturizer } from "./features.js";
import { type WordsFeature, wordInputNames } from "./inputs.js";
import { openSums, type SumRows, type WordTable, writeRow } from "./row-sums.js";
import type { WordIndex } from "./vocabulary.js";

const REMEMBERED = 10_240;
/** Words that there is room for at first: with pearl-mini 9 MiB in each thread. */
const ROOM = 12_288;

/** A graph without its tables, which all workers read in place. */
export interface WordGraph extends SharedGraph {
  readonly words: WordIndex;
  readonly tables: readonly WordTable[];
}

export function sharedFeaturizer(feature: WordsFeature, { words, tables }: WordGraph): Featurizer {
  const numbers = numbersOf(feature, words);
  const kept = tables.map((table) => ({
    table,
    sum: table.gives === "sum" ? openSums(table, feature.ngrams) : undefined,
    data: new Float32Array(table.gives === "sum" ? ROOM * table.width : 0),
  }));
  return storeFeaturizer(feature, numbers, placeStore(feature, numbers, kept));
}

/** A table, and of summed rows the sum of each word by its place. */
interface Kept {
  readonly table: WordTable;
  readonly sum: SumRows | undefined;
  data: Float32Array;
}

/** A word's only id is its place. */
function placeStore(feature: WordsFeature, numbers: Numbers, tables: Kept[]): WordStore {
  const known = knownWords(feature, numbers, (ngrams, count, place) => {
    for (const kept of tables) {
      if (kept.sum === undefined) continue;
      const at = place * kept.table.width;
      if (at === kept.data.length) kept.data = twiceAsLong(kept.data);
      kept.sum(ngrams, count, kept.data, at);
    }
  });
  return {
    ...{ known, remembered: REMEMBERED, mostIds: 1 },
    write(place, ids, at) {
      ids[at] = place;
      return at + 1;
    },
    end: (_, at) => at + 1,
    key: (ids, at) => ids[at],
    fill(ids, starts, feeds) {
      const places = starts.map((at) => ids[at]);
      feeds[wordInputNames.scales] = scalesOf(places.map((place) => known.counts[place]));
      for (const { table, sum, data: kept } of tables) {
        const { input, width } = table;
        const data = new Float32Array((places.length + 1) * width);
        // the padding word has number 0
        if (sum === undefined) writeRow(table, 0, data, 0);
        places.forEach((place, i) => {
          if (sum === undefined) writeRow(table, Math.abs(known.numbers[place]), data, (i + 1) * width);
          else data.set(kept.subarray(place * width, (place + 1) * width), (i + 1) * width);
        });
        feeds[input] = { type: "float32", dims: [places.length + 1, width], data };
      }
    },
    // the buffers are reused, since buffers left to the collector pile up; this store is then invalid
    startOver() {
      for (const { data } of tables) data.fill(0);
      return placeStore(feature, numbers, tables.splice(0));
    },
  };
}

function twiceAsLong(data: Float32Array): Float32Array {
  const longer = new Float32Array(2 * data.length);
  longer.set(data);
  return longer;
}
