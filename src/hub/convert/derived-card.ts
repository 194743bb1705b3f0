/** The card of a model made from another one's files: where it comes from, its licence, and that model's own card. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { type CardValue, readModelCard, splitCard } from "../model-card.js";

export interface DerivedCard {
  readonly title: string;
  /** One paragraph: from what the model was made, and how. */
  readonly origin: string;
  /** Added to the source's metadata, or put in its place. */
  readonly metadata?: Readonly<Record<string, CardValue>>;
}

/** README.md for a model made from the folder `source`. */
export async function derivedCard(source: string, { title, origin, metadata }: DerivedCard): Promise<string> {
  const text = await readFile(join(source, "README.md"), "utf8").catch(() => "");
  const original = splitCard(text);
  const { licence } = await readModelCard(source);
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
