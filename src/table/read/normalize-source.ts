/** Normalizes old Mac line ends and Excel's `sep=` line before a table is read. */
import type { TableFormat } from "../format.js";
import type { Source } from "./source.js";

type Bytes = Pick<Source, "sample" | "chunks">;

/** Old Mac files end lines with CR alone: it becomes LF. */
export function withLineFeeds({ sample, chunks }: Bytes): Bytes {
  if (!sample.includes("\r") || sample.includes("\n")) return { sample, chunks };
  const converted = (bytes: Buffer): Buffer =>
    Buffer.from(bytes.map((byte) => (byte === 0x0d ? 0x0a : byte)));
  async function* convertedChunks(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) yield converted(chunk);
  }
  return { sample: converted(sample), chunks: convertedChunks() };
}

/** Excel's line above the header that names the delimiter, "sep=;", is no row. No quote, letter or digit is a delimiter. */
export function withoutDelimiterLine({ sample, chunks }: Bytes, format: TableFormat) {
  const start = sample.toString("latin1", 0, 16);
  const [line, delimiter] = /^"?sep=([\t !#-/:-@[-`{-~])"?\r?\n/i.exec(start) ?? [];
  if (line === undefined || format === "jsonl" || format === "text") return { sample, chunks, firstLine: 1 };
  const others = withoutBytes(chunks, line.length);
  return { sample: sample.subarray(line.length), chunks: others, firstLine: 2, delimiter };
}

/** All but the first bytes. */
export async function* withoutBytes(chunks: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk.subarray(count);
    count = Math.max(0, count - chunk.length);
  }
}
