/** A model card's metadata: licence, base model and scores, from the YAML at the head of README.md. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** One score that a card states, in the card's own scale (many cards write percents). */
export interface CardScore {
  readonly task: string;
  readonly dataset: string;
  readonly metric: string;
  readonly value: number;
}

/** What a card says about its model. */
export interface ModelCard {
  /** Name of the licence, e.g. `apache-2.0`. */
  readonly licence?: string;
  readonly baseModel?: string;
  /** In the card's order; empty where it states none. */
  readonly scores: readonly CardScore[];
}

/** A value of the YAML subset that cards use. */
export type CardValue = string | number | boolean | null | CardValue[] | { [key: string]: CardValue };

/** Reads the card of a model folder; a folder without one, or with one that cannot be read, has an empty card. */
export async function readModelCard(folder: string): Promise<ModelCard> {
  const text = await readFile(join(folder, "README.md"), "utf8").catch(() => "");
  return parseModelCard(text);
}

/** The metadata of a card's text. What it does not understand it leaves out. */
export function parseModelCard(text: string): ModelCard {
  const head = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  const metadata = head === undefined ? {} : parseCardYaml(head);
  if (!isMap(metadata)) return { scores: [] };
  const licence = textOf(metadata.license_name) ?? textOf(metadata.license);
  const base = Array.isArray(metadata.base_model) ? metadata.base_model[0] : metadata.base_model;
  const baseModel = textOf(base);
  return { ...(licence && { licence }), ...(baseModel && { baseModel }), scores: scoresOf(metadata) };
}

/** Scores of the hub's `model-index`: models, their results, their metrics. */
function scoresOf(metadata: { [key: string]: CardValue }): CardScore[] {
  const scores: CardScore[] = [];
  for (const model of mapsOf(metadata["model-index"])) {
    for (const result of mapsOf(model.results)) {
      const task = nameOf(result.task) ?? "";
      const dataset = nameOf(result.dataset) ?? "";
      for (const metric of mapsOf(result.metrics)) {
        const value = Number(metric.value ?? Number.NaN);
        const name = textOf(metric.name) ?? textOf(metric.type) ?? "";
        if (Number.isFinite(value)) scores.push({ task, dataset, metric: name, value });
      }
    }
  }
  return scores;
}

function nameOf(value: CardValue | undefined): string | undefined {
  return isMap(value) ? (textOf(value.name) ?? textOf(value.type)) : textOf(value);
}

function mapsOf(value: CardValue | undefined): { [key: string]: CardValue }[] {
  return Array.isArray(value) ? value.filter(isMap) : [];
}

function isMap(value: CardValue | undefined): value is { [key: string]: CardValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: CardValue | undefined): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/**
 * Reads the part of YAML that the hub's cards are written in: nested maps and lists by indentation, plain and
 * quoted scalars, `[a, b]` lists and `{a: b}` maps of scalars, and block texts. Anchors and tags are kept as text.
 */
export function parseCardYaml(text: string): CardValue {
  const lines = text
    .split(/\r?\n/)
    .map((line) => ({ indent: line.length - line.trimStart().length, text: line.trim() }))
    .filter((line) => line.text !== "" && !line.text.startsWith("#"));
  return readBlock({ lines, position: 0 }, 0);
}

interface Line {
  readonly indent: number;
  readonly text: string;
}

interface Reader {
  readonly lines: Line[];
  position: number;
}

function readBlock(reader: Reader, minimumIndent: number): CardValue {
  const first = reader.lines[reader.position];
  if (!first || first.indent < minimumIndent) return null;
  return isListItem(first) ? readList(reader, first.indent) : readMap(reader, first.indent);
}

function isListItem(line: Line): boolean {
  return line.text === "-" || line.text.startsWith("- ");
}

function readList(reader: Reader, indent: number): CardValue[] {
  const items: CardValue[] = [];
  for (let line = reader.lines[reader.position]; line; line = reader.lines[reader.position]) {
    if (line.indent !== indent || !isListItem(line)) break;
    const rest = line.text.slice(1).trimStart();
    if (rest === "") {
      reader.position++;
      items.push(readBlock(reader, indent + 1));
    } else if (splitEntry(rest) || isListItem({ indent, text: rest })) {
      // "- name: x" opens a block whose first line stands behind the dash.
      const inner = indent + (line.text.length - rest.length);
      reader.lines[reader.position] = { indent: inner, text: rest };
      items.push(readBlock(reader, inner));
    } else {
      reader.position++;
      items.push(readScalar(reader, rest, indent));
    }
  }
  return items;
}

function readMap(reader: Reader, indent: number): { [key: string]: CardValue } {
  const map: { [key: string]: CardValue } = Object.create(null);
  for (let line = reader.lines[reader.position]; line; line = reader.lines[reader.position]) {
    if (line.indent < indent || (line.indent === indent && isListItem(line))) break;
    reader.position++;
    const entry = line.indent === indent ? splitEntry(line.text) : undefined;
    if (!entry) continue; // a line this subset does not know
    map[entry.key] =
      entry.value === "" ? readNested(reader, indent) : readScalar(reader, entry.value, indent);
  }
  return map;
}

/** The block under `key:`; a list may stand at the same indentation as its key. */
function readNested(reader: Reader, indent: number): CardValue {
  const next = reader.lines[reader.position];
  if (next && next.indent === indent && isListItem(next)) return readList(reader, indent);
  return readBlock(reader, indent + 1);
}

function splitEntry(text: string): { key: string; value: string } | undefined {
  const match = /^("[^"]*"|'[^']*'|[^\s"'[{][^:]*?)\s*:(?:\s+(.*))?$/.exec(text);
  if (!match) return undefined;
  const value = (match[2] ?? "").trim();
  return { key: match[1].replace(/^["']|["']$/g, ""), value: value.startsWith("#") ? "" : value };
}

function readScalar(reader: Reader, text: string, indent: number): CardValue {
  const isBlockText = /^[|>][+-]?\d?$/.test(text);
  const isQuoted = /^["'[{]/.test(text);
  const parts = isBlockText ? [] : [text];
  for (let line = reader.lines[reader.position]; line; line = reader.lines[reader.position]) {
    if (line.indent <= indent || (!isBlockText && !isQuoted && splitEntry(line.text))) break;
    parts.push(line.text);
    reader.position++;
  }
  return plainValue(parts.join(text.startsWith("|") ? "\n" : " "));
}

function plainValue(text: string): CardValue {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(text);
  if (quoted) return quoted[1]?.replace(/\\(.)/g, "$1") ?? quoted[2].replaceAll("''", "'");
  const list = /^\[(.*)\]$/.exec(text);
  if (list) return list[1].trim() === "" ? [] : list[1].split(",").map((item) => plainValue(item.trim()));
  const map = /^\{(.*)\}$/.exec(text);
  if (map) {
    const entries = map[1].split(",").map((item) => splitEntry(item.trim()));
    return Object.fromEntries(
      entries.flatMap((entry) => (entry ? [[entry.key, plainValue(entry.value)]] : [])),
    );
  }
  const plain = text.replace(/\s+#.*$/, "");
  if (plain === "true" || plain === "false") return plain === "true";
  if (plain === "null" || plain === "~" || plain === "") return null;
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(plain) ? Number(plain) : plain;
}
