/** Counts of phrases on disk: one file per block of text, summed by DuckDB without holding all in memory. */
import { LEXICAL_CLASSES } from "../../pearl/phrase-types.js";
import { Database, literal } from "../../table/read/database.js";
import { writeTabLines } from "../../table/tab-lines.js";

/** A phrase with its count in each class, in the order of LEXICAL_CLASSES. */
export interface CountedPhrase {
  readonly phrase: string;
  readonly counts: readonly number[];
}

/** Writes counts, whole or not at all. */
export async function writeRun(path: string, counts: ReadonlyMap<string, readonly number[]>): Promise<void> {
  function* rows(): Generator<string[]> {
    for (const [phrase, perClass] of counts) yield [phrase, ...perClass.map(String)];
  }
  await writeTabLines(path, ["phrase", ...LEXICAL_CLASSES], rows());
}

/** Sums the counts of several files, in no order. @param workFolder for temporary files */
export async function* mergeRuns(
  paths: readonly string[],
  workFolder: string,
): AsyncGenerator<CountedPhrase> {
  if (paths.length === 0) return;
  const types = ["phrase: 'VARCHAR'", ...LEXICAL_CLASSES.map((name) => `${name}: 'BIGINT'`)];
  const settings = `delim = '\t', quote = '', escape = '', header = true, auto_detect = false, columns = {${types}}`;
  const sums = LEXICAL_CLASSES.map((name) => `sum(${name})`);
  const database = await Database.open(workFolder);
  try {
    const lines = database.strings(
      `SELECT concat_ws('\t', phrase, ${sums}) FROM read_csv([${paths.map(literal)}], ${settings}) GROUP BY phrase`,
      "counts of phrases",
    );
    for await (const chunk of lines) {
      for (const line of chunk) {
        const [phrase, ...counts] = line.split("\t");
        yield { phrase, counts: counts.map(Number) };
      }
    }
  } finally {
    await database.close();
  }
}
