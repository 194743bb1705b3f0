/** Text in other encodings than UTF-8, converted while it is read. */
import { isAscii, isUtf8 } from "node:buffer";
import { TableError } from "../../errors.js";

/** The encoding of a text, as far as it is known. */
export interface Encoding {
  /** As the Encoding Standard names it; undefined before bytes show it. */
  name?: string;
  /** Only the text's bytes speak for it: readers say so. */
  isGuess?: true;
}

/** 0x80 to 0x9f in Windows-1252, for which Node 20's decoder gives control characters. */
const fromHex80 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

type Decode = (bytes: Buffer) => string;

function decoderOf(name: string): Decode {
  const decoder = new TextDecoder(name);
  if (name !== "windows-1252") return (bytes) => decoder.decode(bytes, { stream: bytes.length > 0 });
  return (bytes) =>
    bytes.toString("latin1").replace(/[\x80-\x9f]/g, (control) => fromHex80[control.charCodeAt(0) - 0x80]);
}

/**
 * The text in UTF-8, chunk by chunk. Without a known encoding it is Windows-1252 if the first chunk that is not ASCII is not
 * UTF-8 either, and has typical bytes. Other text stays as it is: the reader refuses bytes that are not UTF-8.
 * @param encoding is completed while the text is read
 * @throws TableError for bytes that the encoding does not have, with the line
 */
export async function* inUtf8(
  shown: string,
  chunks: AsyncIterable<Buffer>,
  encoding: Encoding,
): AsyncGenerator<Buffer> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  let decode = encoding.name && encoding.name !== "utf-8" ? decoderOf(encoding.name) : undefined;
  const decoded = (bytes: Buffer): Buffer => {
    const text = (decode as Decode)(bytes);
    const isRight = encoding.isGuess ? isTypical(bytes) : !text.includes("\ufffd");
    const wrong = encoding.isGuess ? bytes.toString("latin1").search(odd) : text.indexOf("\ufffd");
    if (!isRight)
      throw new TableError(
        `${shown}, line ${line + linesIn(text.slice(0, wrong))}: bytes that are not ${encoding.name}. ` +
          "Name the encoding of the file with --encoding, such as shift_jis, or convert it to UTF-8.",
      );
    line += linesIn(text);
    return Buffer.from(text);
  };
  async function* ended(): AsyncGenerator<Buffer | undefined> {
    yield* chunks;
    yield undefined;
  }
  for await (const chunk of ended()) {
    const read = chunk === undefined ? rest : rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const isCut = encoding.name === undefined && chunk !== undefined;
    const end = isCut ? lastCharacter(read) : read.length;
    const bytes = read.subarray(0, end);
    rest = read.subarray(end);
    if (encoding.name === undefined && isAscii(bytes)) line += linesIn(bytes.toString("latin1"));
    else if (encoding.name === undefined) {
      const isOther = !isUtf8(bytes) && isTypical(bytes) && !hasUtf8Line(bytes);
      Object.assign(encoding, isOther ? { name: "windows-1252", isGuess: true } : { name: "utf-8" });
      if (isOther) decode = decoderOf("windows-1252");
    }
    yield decode === undefined ? bytes : decoded(bytes);
  }
}

/** The place of the last character that is not ASCII, if it is among the last three bytes: it may be cut off. */
export function lastCharacter(bytes: Buffer): number {
  const tail = bytes.subarray(-3);
  const start = tail.findLastIndex((byte) => byte >= 0xc0);
  return start < 0 ? bytes.length : bytes.length - tail.length + start;
}

const linesIn = (text: string): number => text.split("\n").length - 1;

/** Whether a line is UTF-8 beyond ASCII: then some lines are in one encoding and some in another. */
const hasUtf8Line = (bytes: Buffer): boolean =>
  bytes
    .toString("latin1")
    .split("\n")
    .map((line) => Buffer.from(line, "latin1"))
    .some((line) => !isAscii(line) && isUtf8(line));

/**
 * What Windows-1252 hardly has, in Latin-1: bytes without a character; half of a letter in UTF-8, cut by the end; four
 * characters beyond ASCII in a row, as where other alphabets or ideographs are meant; a capital behind a small letter or
 * second in a word, and a sign within a word, as in encodings of Central Europe, DOS and the old Mac.
 */
const odd =
  /[\x81\x8d\x8f\x90\x9d\xff]|[\xc2\xc3]$|[\x80-\xff]{4,}|(?<=[a-z])[\x8a\x8e\x9f\xc0-\xde]|(?<=[A-Z])[\x8a\x8e\x9f\xc0-\xde](?=[a-z])|(?<=[A-Za-z\xc0-\xff])[\x80-\x89\x8b\xa1-\xa9\xab\xac\xae-\xb3\xb6\xb8\xb9\xbb-\xbf](?=[A-Za-z\xc0-\xff])/;

/** Whether at most one in ten of the bytes beyond ASCII is {@link odd} for Windows-1252. */
function isTypical(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  const found = text.match(new RegExp(odd, "g"))?.join("").length ?? 0;
  return found * 10 <= (text.match(/[\x80-\xff]/g)?.length ?? 0);
}
