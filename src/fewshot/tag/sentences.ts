/** Sentences with tags, as files hold them: CoNLL columns, or JSONL of texts with spans. Both are written as they were read. */
import { isUtf8 } from "node:buffer";
import { buffer } from "node:stream/consumers";
import * as v from "valibot";
import { TableError } from "../../errors.js";
import { parseJson } from "../../files/json.js";
import { formatOfName, parseEncoding } from "../../table/format.js";
import { jsonPairsOf } from "../../table/read/json-keys.js";
import { checkFile, openSource, refuseNonText, shownPath } from "../../table/read/source.js";

/** The tag of a token in no span. */
export const OUTSIDE = "O";

/** Tokens of a sentence with their tags: a span's label without B- or I-, or {@link OUTSIDE}. */
export interface TaggedSentence {
  readonly tokens: readonly string[];
  /** Empty where the file has none. */
  readonly tags: readonly string[];
}

/** A file of sentences, and how to write it with other tags. */
export interface TaggedFile {
  readonly sentences: readonly TaggedSentence[];
  /** @param tags of each sentence, as {@link TaggedSentence} has them */
  write(tags: readonly (readonly string[])[]): string;
}

/** Whether a file must say which spans there are. */
export type TagsNeeded = "required" | "optional";

/**
 * Reads .jsonl as texts with spans, and everything else as CoNLL columns; "-" is standard input, gzip is unpacked.
 * @param options.encoding default: UTF-8, or what the bytes show; where that is a guess, `onNote` is called
 * @throws TableError with line and cure
 */
export async function readTagged(
  path: string,
  needed: TagsNeeded,
  { encoding, onNote }: { readonly encoding?: string; readonly onNote?: (note: string) => void } = {},
): Promise<TaggedFile> {
  await checkFile(path);
  const source = await openSource(path, undefined, undefined, encoding && parseEncoding(encoding));
  const bytes = await buffer(source.chunks);
  refuseNonText(path, source.signature);
  const shown = shownPath(path);
  // Decoding would replace invalid bytes, and the replacements would be written back.
  const lines = bytes.toString("latin1").split("\n");
  const line = lines.findIndex((one) => !isUtf8(Buffer.from(one, "latin1")));
  if (line >= 0)
    throw new TableError(
      `${shown}, line ${line + 1}: bytes that are not UTF-8. Correct them, or name the encoding of the file, such as --encoding shift_jis.`,
    );
  const { name, isGuess } = source.encoding;
  if (isGuess) onNote?.(`${shown}: taken for ${name} (--encoding NAME if it is another)`);
  const read = formatOfName(path) === "jsonl" ? readSpans : readColumns;
  const file = read((source.hasByteOrderMark ? "\uFEFF" : "") + bytes, shown, needed);
  if (file.sentences.length > 0) return file;
  throw new TableError(`${shown}: no sentence found. Give a token a line, or JSON lines with "text".`);
}

const conllExample = "Trieste B-PLACE\nsleeps O";
const jsonExample = '{"text": "Trieste sleeps", "spans": [{"start": 0, "end": 7, "label": "PLACE"}]}';

/** A token a line in the first column, its tag in the last one; an empty line between sentences. */
export function readColumns(text: string, path: string, needed: TagsNeeded): TaggedFile {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const isToken = (line: string) => line.trim() !== "" && !/^\s*-DOCSTART-(\s|$)/.test(line);
  const sentences: { tokens: string[]; tags: string[] }[] = [];
  lines.forEach((line, number) => {
    if (!isToken(line)) return;
    if (number === 0 || !isToken(lines[number - 1])) sentences.push({ tokens: [], tags: [] });
    const { tokens, tags } = sentences[sentences.length - 1];
    const [token, ...others] = line.trim().split(/\s+/);
    tokens.push(token);
    const tag = labelOf(others.at(-1) ?? "");
    if (tag !== undefined) tags.push(tag);
    else if (needed === "required")
      throw new TableError(
        `${path}, line ${number + 1}: "${line.trim()}" has no tag (O, B-NAME or I-NAME) in its last column. ` +
          `Lines look like this:\n\n${conllExample}`,
      );
  });
  return {
    sentences: sentences.map(({ tokens, tags }) => ({
      tokens,
      tags: tags.length === tokens.length ? tags : [],
    })),
    write(tags) {
      const written = tags.flatMap(beginInside).values();
      const separator = text.includes("\t") ? "\t" : " ";
      const added = (line: string) => `${line.trimEnd()}${separator}${written.next().value}`;
      const lineEnd = lineEndOf(text);
      return lines.map((line) => (isToken(line) ? added(line) : line) + lineEnd).join("");
    },
  };
}

const lineEndOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

/** PER for B-PER, I-PER, E-PER, S-PER and PER; undefined for what is no tag. */
function labelOf(tag: string): string | undefined {
  if (tag === OUTSIDE) return OUTSIDE;
  const [, label] = /^(?:[BIESLU]-)?(\p{L}[\p{L}\p{N}_/.-]*)$/u.exec(tag) ?? [];
  return label;
}

const TOKEN = /\p{L}[\p{L}\p{M}'’-]*|\p{N}+(?:[.,]\p{N}+)*|[^\s\p{C}]/gu;

/**
 * A JSON object a line: `text`, and `spans` with `start`, `end` (exclusive) and `label`. Places count UTF-16 code units, as in
 * JavaScript: an emoji is two.
 */
export function readSpans(text: string, path: string, needed: TagsNeeded): TaggedFile {
  // Trimmed of a byte order mark, too.
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const rows = lines.flatMap((line, number) =>
    line === "" ? [] : [readRow(line, `${path}, line ${number + 1}`, needed)],
  );
  return {
    sentences: rows.map(({ tokens, tags }) => ({ tokens: tokens.map(({ token }) => token), tags })),
    write(all) {
      const lineEnd = lineEndOf(text);
      const written = rows.map(({ line, tokens }, i) => {
        const spans = spansOf(all[i]).map(({ from, to, label }) => {
          return { start: tokens[from].start, end: tokens[to - 1].end, label };
        });
        return withSpans(line, JSON.stringify(spans)) + lineEnd;
      });
      return written.join("");
    },
  };
}

/** A line of JSON with these spans; its other values stay as they are written, also numbers of many digits; spaces between them go. */
function withSpans(line: string, spans: string): string {
  const pairs = [...jsonPairsOf(line)].map(([key, json]) => [key, key === "spans" ? spans : json]);
  if (!pairs.some(([key]) => key === "spans")) pairs.push(["spans", spans]);
  return `{${pairs.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
}

function readRow(line: string, place: string, needed: TagsNeeded) {
  const cure = `Lines look like this:\n\n${jsonExample}`;
  const row = parseJson(line, place, v.looseObject({}), { error: TableError, cure });
  const { text, spans } = row;
  const trouble = (what: string) => new TableError(`${place}: ${what}. ${cure}`);
  if (typeof text !== "string") throw trouble('no "text"');
  if (!Array.isArray(spans) && (needed === "required" || spans !== undefined))
    throw trouble('no list "spans"');
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: token, index: start }) => {
    return { token, start, end: start + token.length };
  });
  if (!Array.isArray(spans)) return { line, tokens, tags: [] };
  const tags = tokens.map(() => OUTSIDE);
  for (const { start, end, label } of spans.map(Object)) {
    const inside = [...tokens.keys()].filter((i) => tokens[i].start < end && tokens[i].end > start);
    if (typeof label !== "string" || inside.length === 0) throw trouble(`a span without tokens or "label"`);
    if (label === OUTSIDE) throw trouble(`the label ${OUTSIDE} stands for no span`);
    if (inside.some((i) => tags[i] !== OUTSIDE))
      throw trouble(`the span ${start} to ${end} overlaps another one: keep one of them`);
    if (tokens[inside[0]].start !== start || tokens[inside[inside.length - 1]].end !== end)
      throw trouble(`the span ${start} to ${end} does not begin and end with a word`);
    tags.fill(label, inside[0], inside[0] + inside.length);
  }
  return { line, tokens, tags };
}

/** A run of tokens with one label; `to` is exclusive. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** Neighbours of one label are one span. */
export function spansOf(tags: readonly string[]): Span[] {
  const spans: Span[] = [];
  for (let from = 0; from < tags.length; ) {
    let to = from + 1;
    while (to < tags.length && tags[to] === tags[from]) to++;
    if (tags[from] !== OUTSIDE) spans.push({ from, to, label: tags[from] });
    from = to;
  }
  return spans;
}

const beginInside = (tags: readonly string[]): string[] =>
  tags.map((tag, i) => (tag === OUTSIDE ? tag : `${tags[i - 1] === tag ? "I" : "B"}-${tag}`));
