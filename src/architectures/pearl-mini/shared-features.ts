/** Fills the inputs of a word encoder whose tables were taken out: the sums of a word's rows are kept for many batches. */
import type { SharedGraph } from "../architecture.js";
import type { Featurizer } from "../feature-rows.js";
import { knownWords, type NumberOf, scalesOf, storeFeaturizer, type WordStore } from "./features.js";
import { type WordsFeature, wordInputNames } from "./inputs.js";
import { openSums, type SumRows, type WordTable, writeRow } from "./row-sums.js";

const REMEMBERED = 10_240;
/** Words that there is room for at first: with pearl-mini 9 MiB in each thread. */
const ROOM = 12_288;

/** A graph without its tables, which all workers read in place. */
export interface WordGraph extends SharedGraph {
  readonly tables: readonly WordTable[];
}

export function sharedFeaturizer(
  feature: WordsFeature,
  words: readonly string[],
  { tables }: WordGraph,
): Featurizer {
  const sums = tables
    .filter(({ gives }) => gives === "sum")
    .map((table) => ({
      ...{ table, sum: openSums(table, feature.ngrams) },
      data: new Float32Array(ROOM * table.width),
    }));
  const looked = tables.filter(({ gives }) => gives === "row");
  return storeFeaturizer(feature, words, (numberOf) => sumStore(feature, numberOf, sums, looked));
}

interface TableSums {
  readonly table: WordTable;
  readonly sum: SumRows;
  data: Float32Array;
}

/** A word's only id is its place. */
function sumStore(
  feature: WordsFeature,
  numberOf: NumberOf,
  sums: TableSums[],
  looked: readonly WordTable[],
): WordStore {
  const known = knownWords(feature, numberOf, (ngrams, count, place) => {
    for (const own of sums) {
      const at = place * own.table.width;
      if (at === own.data.length) own.data = twiceAsLong(own.data);
      own.sum(ngrams, count, own.data, at);
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
      const count = places.length + 1;
      const add = (
        { input, width }: WordTable,
        write: (data: Float32Array, place: number, at: number) => void,
      ) => {
        const data = new Float32Array(count * width);
        places.forEach((place, i) => {
          write(data, place, (i + 1) * width);
        });
        feeds[input] = { type: "float32", dims: [count, width], data };
        return data;
      };
      feeds[wordInputNames.scales] = scalesOf(places.map((place) => known.counts[place]));
      for (const { table, data } of sums)
        add(table, (target, place, at) => {
          target.set(data.subarray(place * table.width, (place + 1) * table.width), at);
        });
      for (const table of looked) {
        const data = add(table, (target, place, at) => writeRow(table, known.numbers[place], target, at));
        // the padding word has number 0
        writeRow(table, 0, data, 0);
      }
    },
    // the buffers are reused, since buffers left to the collector pile up; this store is then invalid
    startOver() {
      for (const { data } of sums) data.fill(0);
      return sumStore(feature, numberOf, sums.splice(0), looked);
    },
  };
}

function twiceAsLong(data: Float32Array): Float32Array {
  const longer = new Float32Array(2 * data.length);
  longer.set(data);
  return longer;
}
