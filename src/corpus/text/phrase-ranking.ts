/** Counts of phrases on disk, one file per block of text; DuckDB sums and ranks them without holding all in memory. */
import { resolve } from "node:path";
import { LEXICAL_CLASSES, type LexicalClass } from "../../pearl/phrase-types.js";
import { Database, fileLiteral, literal, ownColumns } from "../../table/read/database.js";
import { writeTabLines } from "../../table/tab-lines.js";

/** Writes the counts of phrases in each class, in the order of LEXICAL_CLASSES, whole or not at all. */
export async function writeCounts(
  path: string,
  counts: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  function* rows(): Generator<string[]> {
    for (const [phrase, perClass] of counts) yield [phrase, ...perClass.map(String)];
  }
  await writeTabLines(path, ["phrase", ...LEXICAL_CLASSES], rows());
}

/** A phrase with its total count, and its most frequent class. */
export interface RankedPhrase {
  readonly phrase: string;
  readonly lexicalClass: LexicalClass;
  readonly count: number;
}

interface RankingOptions {
  readonly folder: string;
  /** Rarer phrases of texts are dropped; those of tables are not. */
  readonly minimum: number;
  /** Phrases kept at most: those of tables first, then the most frequent. */
  readonly maximum: number;
  readonly signal?: AbortSignal;
  readonly onProgress: (done: number) => void;
}

/**
 * Ranks the phrases of files of counts: those of texts, and the one of tables.
 * @returns phrases by falling count, equal ones in the order of their code points; how many phrases of texts were below the
 *   minimum, and how many phrases were beyond the maximum
 */
export async function rankPhrases(
  ofTexts: readonly string[],
  ofTables: string,
  { folder, minimum, maximum, signal, onProgress }: RankingOptions,
) {
  const subject = "counts of phrases";
  const types = ["phrase: 'VARCHAR'", ...LEXICAL_CLASSES.map((name) => `${name}: 'BIGINT'`)];
  const settings = [
    "delim = '\t', quote = '', escape = '', header = true, auto_detect = false, filename = true",
    ownColumns,
    `columns = {${types}}`,
  ];
  const files = [...ofTexts, ofTables].map(fileLiteral);
  const sums = LEXICAL_CLASSES.map((name) => `sum(${name}) AS ${name}`);
  const total = `sum(${LEXICAL_CLASSES.join(" + ")})`;
  const isOfTable = `bool_or(filename = ${literal(resolve(ofTables))})`;
  const isKept = `${total} >= ${minimum} OR of_table`;
  const phrases: RankedPhrase[] = [];
  const database = await Database.open(folder);
  const interrupt = (): void => database.interrupt();
  signal?.addEventListener("abort", interrupt);
  try {
    signal?.throwIfAborted();
    await database.run(
      `CREATE TABLE counted AS SELECT phrase, ${sums}, ${total} AS total, ${isOfTable} AS of_table, ${isKept} AS kept
       FROM read_csv([${files}], ${settings.join(", ")}) GROUP BY phrase`,
      subject,
    );
    const [[all, kept]] = await database.run("SELECT count(*), count(*) FILTER (kept) FROM counted", subject);
    const lines = database.strings(
      `SELECT concat_ws('\t', phrase, total, ${LEXICAL_CLASSES})
       FROM (SELECT * FROM counted WHERE kept ORDER BY of_table DESC, total DESC, phrase LIMIT ${maximum})
       ORDER BY total DESC, phrase`,
      subject,
    );
    for await (const chunk of lines) {
      for (const line of chunk) {
        const [phrase, count, ...cells] = line.split("\t");
        const counts = cells.map(Number);
        const lexicalClass = LEXICAL_CLASSES[counts.indexOf(Math.max(...counts))];
        phrases.push({ phrase, lexicalClass, count: Number(count) });
      }
      onProgress(phrases.length);
      signal?.throwIfAborted();
    }
    const droppedRare = Number(all) - Number(kept);
    return { phrases, droppedRare, droppedBeyond: Number(kept) - phrases.length };
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", interrupt);
    await database.close();
  }
}
