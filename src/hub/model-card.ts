/** Model cards (README.md): licence, base model and scores are read; the card of a converted model is written. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";

/** One score that a card states, in the card's own scale (many cards write percents). */
export interface CardScore {
  readonly task: string;
  readonly dataset: string;
  readonly metric: string;
  readonly value: number;
}

export interface ModelCard {
  readonly licence?: string;
  readonly baseModel?: string;
  /** In the card's order; empty where it states none. */
  readonly scores: readonly CardScore[];
}

type Metadata = Readonly<Record<string, unknown>>;

/** Reads the card of a model folder; a folder without a readable card has an empty one. */
export async function readModelCard(folder: string): Promise<ModelCard> {
  return parseModelCard(await readCardText(folder));
}

const readCardText = (folder: string) => readFile(join(folder, "README.md"), "utf8").catch(() => "");

/** The metadata of a card's text. What it does not understand it leaves out. */
export function parseModelCard(text: string): ModelCard {
  const { metadata } = splitCard(text);
  const licence = textOf(metadata.license_name) ?? textOf(metadata.license);
  const baseModel = textOf([metadata.base_model].flat()[0]);
  return { ...(licence && { licence }), ...(baseModel && { baseModel }), scores: scoresOf(metadata) };
}

/** A card's metadata, empty where it has none that can be read, and the text below it. */
function splitCard(text: string): { metadata: Metadata; body: string } {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  const [front = "", yaml = ""] = match ?? [];
  let metadata: unknown;
  try {
    metadata = parse(yaml, { logLevel: "silent" });
  } catch {
    // A card that cannot be read is a card without metadata: the model works all the same.
  }
  return { metadata: mapsIn([metadata])[0] ?? {}, body: text.slice(front.length) };
}

/** Scores of the hub's `model-index`: models, their results, their metrics. */
function scoresOf(metadata: Metadata): CardScore[] {
  const results = mapsIn(metadata["model-index"]).flatMap((model) => mapsIn(model.results));
  return results.flatMap((result) =>
    mapsIn(result.metrics).flatMap((metric) => {
      const value = Number(metric.value ?? Number.NaN);
      const [task, dataset] = [nameOf(result.task), nameOf(result.dataset)];
      return Number.isFinite(value) ? [{ task, dataset, metric: nameOf(metric), value }] : [];
    }),
  );
}

function nameOf(value: unknown): string {
  const [map] = mapsIn([value]);
  return (map ? (textOf(map.name) ?? textOf(map.type)) : textOf(value)) ?? "";
}

function mapsIn(value: unknown): Metadata[] {
  const isMap = (item: unknown) => typeof item === "object" && item !== null && !Array.isArray(item);
  return Array.isArray(value) ? value.filter(isMap) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

export interface DerivedCard {
  readonly title: string;
  /** One paragraph: from what the model was made, and how. */
  readonly origin: string;
  /** Added to the source's metadata, or put in its place; undefined removes a key. */
  readonly metadata?: Readonly<Record<string, string | undefined>>;
}

/** README.md for a model made from the folder `source`: its origin, its licence, and the source's own card. */
export async function derivedCard(source: string, { title, origin, metadata }: DerivedCard): Promise<string> {
  const text = await readCardText(source);
  const original = splitCard(text);
  const { licence } = parseModelCard(text);
  const head = { ...original.metadata, ...metadata };
  const front = Object.keys(head).length > 0 ? `---\n${stringify(head)}---\n\n` : "";
  const terms =
    licence === undefined
      ? "Licence: the source states none. Ask its authors before you pass the model on."
      : `Licence: ${licence}, as the source states it; it covers this folder too.`;
  const body = original.body.trim();
  const rest = body === "" ? [] : ["The source's own card follows.", body];
  return `${front}${[`# ${title}`, origin, terms, ...rest].join("\n\n")}\n`;
}
