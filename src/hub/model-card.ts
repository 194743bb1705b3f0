/** A model card's metadata: licence, base model and scores, from the YAML at the head of README.md. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";

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

/** A value of YAML. */
export type CardValue = string | number | boolean | null | CardValue[] | { [key: string]: CardValue };

/** Reads the card of a model folder; a folder without one, or with one that cannot be read, has an empty card. */
export async function readModelCard(folder: string): Promise<ModelCard> {
  const text = await readFile(join(folder, "README.md"), "utf8").catch(() => "");
  return parseModelCard(text);
}

/** The metadata of a card's text. What it does not understand it leaves out. */
export function parseModelCard(text: string): ModelCard {
  const { metadata } = splitCard(text);
  const licence = textOf(metadata.license_name) ?? textOf(metadata.license);
  const base = Array.isArray(metadata.base_model) ? metadata.base_model[0] : metadata.base_model;
  const baseModel = textOf(base);
  return { ...(licence && { licence }), ...(baseModel && { baseModel }), scores: scoresOf(metadata) };
}

/** A card's metadata, empty where it has none that can be read, and the text below it. */
export function splitCard(text: string): { metadata: { [key: string]: CardValue }; body: string } {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  const metadata = match === null ? {} : readYaml(match[1]);
  return { metadata: isMap(metadata) ? metadata : {}, body: text.slice(match?.[0].length ?? 0) };
}

/** A card that cannot be read is a card without metadata: the model works all the same. */
function readYaml(text: string): CardValue {
  try {
    return parse(text, { logLevel: "silent" }) as CardValue;
  } catch {
    return null;
  }
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
