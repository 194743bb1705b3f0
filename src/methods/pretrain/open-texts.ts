/** Texts by path as shards, made once. */
import { createHash } from "node:crypto";
import { readTexts } from "../../corpus/text/text-sources.js";
import { ArgumentError } from "../../errors.js";
import { fileFingerprint } from "../../files/fingerprint.js";
import { prepareShards, type TextShards } from "./text-shards.js";

export interface OpenTextsOptions {
  /** Text files, or tables with a column of text; `.gz` too. */
  readonly texts: readonly string[];
  /** A table's column of text; default the one with the longest cells. */
  readonly column?: string;
  /** Whether quotes hold cells of a table together (default "double") or are ordinary characters ("none"). */
  readonly quote?: "double" | "none";
  /** Told what is going on, a line each. */
  readonly onNote?: (note: string) => void;
}

/** @param folder where shards of the same texts are taken as they are @throws TableError, MissingDataError */
export async function openTexts(
  { texts, column, quote, onNote }: OpenTextsOptions,
  folder: string,
): Promise<TextShards> {
  if (texts.length === 0) throw new ArgumentError("name at least one text to read");
  const hash = createHash("sha256").update(`${column ?? ""} ${quote ?? ""}`);
  for (const path of texts) hash.update(await fileFingerprint(path));
  const source = hash.digest("hex").slice(0, 16);
  async function* all(): AsyncGenerator<string> {
    for (const path of texts) yield* readTexts(path, { column, quote, onNote });
  }
  return prepareShards(all(), folder, source);
}
