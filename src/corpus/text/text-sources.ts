/** Text from files, in pieces: plain text or a column of a table, gzipped or not, with lines of any length. */
import { TextDecoder } from "node:util";
import { TableError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { tablePlace } from "../../files/place.js";
import { isSystemError } from "../../files/whole-file.js";
import { formatOfName } from "../../table/format.js";
import { openSource, refuseNonText, shownPath, unreadable } from "../../table/read/source.js";
import { Table } from "../../table/table.js";
import type { BuildCorpusOptions } from "../build-corpus.js";

/** A piece is a paragraph; longer ones are cut at the end of a sentence or between words. */
const longestPiece = 65_536;

export type TextOptions = Pick<BuildCorpusOptions, "column" | "quote" | "signal" | "onNote">;

/**
 * The text of a file as pieces of at most `longestPiece` characters, in order.
 * A file named .csv, .tsv, .jsonl, .parquet (also .gz) is a table; any other is plain text; "-" is standard input.
 * @param lines whether a line of plain text that begins with a small letter belongs to the one before (hard-wrapped text)
 * @throws TableError for a file that is not text
 */
export async function* readTexts(
  path: string,
  options: TextOptions = {},
  lines: "apart" | "joined" = "joined",
): AsyncGenerator<string> {
  const format = formatOfName(path);
  if (tablePlace(path).table === undefined && (format === undefined || format === "text")) {
    yield* plainText(path, lines, options);
    return;
  }
  const { column: asked, quote, signal } = options;
  const table = await Table.open(path, { column: asked, quote, signal });
  try {
    const column = asked === undefined ? longestColumn(table) : table.description.column;
    const { rowCount, columns } = table.description;
    options.onNote?.(
      `${shownPath(path)}: ${formatCount(rowCount)} rows; text from "${column}" of ${columns.join(", ")}`,
    );
    for await (const cells of table.columnValues(column)) {
      signal?.throwIfAborted();
      for (const cell of cells) yield* pieces(cell);
    }
  } finally {
    await table.close();
  }
}

/** The column with the longest cells on average in the table's sample. */
function longestColumn(table: Table): string {
  const averages = table.columns
    .filter(({ isText }) => isText)
    .map(({ name, sample }) => ({ name, average: sample.join("").length / Math.max(sample.length, 1) }));
  averages.sort((a, b) => b.average - a.average);
  return averages[0]?.name ?? table.description.column;
}

async function* plainText(
  path: string,
  lines: "apart" | "joined",
  { signal, onNote }: TextOptions,
): AsyncGenerator<string> {
  const source = await openSource(path, signal).catch((error: unknown) => {
    throw isSystemError(error) ? unreadable(path, error) : error;
  });
  try {
    refuseNonText(path, source.signature);
    let paragraph = "";
    for await (const line of linesOf(path, source.chunks)) {
      const joins = lines === "joined" && paragraph !== "" && /^\s*\p{Ll}/u.test(line);
      if (joins && paragraph.length + line.length < longestPiece) paragraph += ` ${line.trim()}`;
      else {
        yield* pieces(paragraph);
        paragraph = line.trim();
      }
    }
    yield* pieces(paragraph);
    const { name, isGuess } = source.encoding;
    if (isGuess)
      onNote?.(`${shownPath(path)}: taken for ${name}. Convert it to UTF-8 if it is in another encoding.`);
  } finally {
    await source.close();
  }
}

/** Lines without their ends; of a line beyond 16 pieces, parts that end between words. */
async function* linesOf(path: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let bytes = 0;
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      throw new TableError(
        `${shownPath(path)}: not valid UTF-8 text after byte ${formatCount(bytes)}. ` +
          "Correct it there, or convert the whole text to UTF-8.",
        { cause },
      );
    }
  };
  let rest = "";
  for await (const chunk of chunks) {
    rest += decode(chunk);
    bytes += chunk.length;
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() as string;
    yield* lines;
    while (rest.length > 16 * longestPiece) {
      const cut = cutPlace(rest, longestPiece);
      yield rest.slice(0, cut);
      rest = rest.slice(cut);
    }
  }
  rest += decode();
  if (rest !== "") yield rest;
}

/** A text in parts of at most `longestPiece`; blank ones are left out. */
export function* pieces(text: string, longest: number = longestPiece): Generator<string> {
  let rest = text;
  while (rest.length > longest) {
    const cut = cutPlace(rest, longest);
    yield rest.slice(0, cut);
    rest = rest.slice(cut);
  }
  if (rest.trim() !== "") yield rest;
}

/** Where to cut within the first `longest` characters: after a sentence, else between words, else just there. */
function cutPlace(text: string, longest: number): number {
  const window = text.slice(0, longest);
  const half = longest >> 1;
  const sentence = Math.max(
    ...[". ", "! ", "? ", ".\n", "\n"].map((end) => window.lastIndexOf(end) + end.length - 1),
  );
  if (sentence >= half) return sentence;
  const space = window.search(/\s\S*$/);
  return space >= half ? space : longest;
}
