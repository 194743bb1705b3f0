/** Words with their parts of speech, by wink-nlp; nothing else imports it. */
import { createRequire } from "node:module";
import type { ItsHelpers, Model, WinkMethods } from "wink-nlp";

export interface Word {
  readonly text: string;
  /** Universal part of speech, e.g. "NOUN", "PROPN". */
  readonly tag: string;
  /** Index in the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** In lower case, "come" for "came"; only with the option `lemmas`. */
  readonly lemma?: string;
}

type CreateWink = (model: Model, pipe: string[]) => WinkMethods;

let model: Model | undefined;

/** wink-nlp with its model, which is loaded when first needed: that takes half a second. */
function createNlp(pipe: string[]): WinkMethods {
  const require = createRequire(import.meta.url);
  if (model === undefined) {
    const published = require("wink-eng-lite-web-model") as Record<"metaCER", () => unknown>;
    // Each call of the model's metaCER() wraps its answer in another layer of JSON, so it is called once.
    const metaCER = published.metaCER();
    model = { ...published, metaCER: () => metaCER } as unknown as Model;
  }
  return (require("wink-nlp") as CreateWink)(model, pipe);
}

/** Finds words and sentences. Its memory grows with every new word: make a new one for a new block. */
export type Tagger = ReturnType<typeof createTagger>;

/** A tagger that knows only its model: equal texts get equal tags from every new one. */
export function createTagger({ lemmas = false } = {}) {
  const nlp = createNlp(["sbd", "pos"]);
  return { sentences: (text: string) => sentencesOf(nlp, text, lemmas) };
}

/** A finder of wink-nlp's own entities in short texts, with their labels: "DATE", "MONEY", "CARDINAL". */
export function createEntityFinder() {
  const nlp = createNlp(["ner"]);
  const detail = nlp.its.detail as unknown as ItsHelpers["detail"];
  return (text: string) =>
    nlp.readDoc(text).entities().out(detail) as unknown as readonly { value: string; type: string }[];
}

function sentencesOf(nlp: WinkMethods, text: string, withLemmas: boolean): Word[][] {
  const { its } = nlp;
  const document = nlp.readDoc(text);
  const tokens = document.tokens();
  const values = tokens.out(its.value) as string[];
  const tags = tokens.out(its.pos) as string[];
  const lemmas = withLemmas ? (tokens.out(its.lemma as unknown as typeof its.value) as string[]) : undefined;
  const spans = document.sentences().out(its.span) as unknown as [number, number][];
  const sentences: Word[][] = [];
  let place = 0;
  for (const [first, last] of spans) {
    let words: Word[] = [];
    for (let index = first; index <= last; index++) {
      const value = values[index];
      // wink-nlp expands some words; an expanded one is not in the text and gets an empty range.
      const found = text.indexOf(value, place);
      const start = found < 0 || found > place + 64 ? place : found;
      const end = Math.min(start + value.length, text.length);
      place = end;
      if (tags[index] !== "SPACE")
        words.push({ text: value, tag: tags[index], start, end, ...(lemmas && { lemma: lemmas[index] }) });
      else if (/\n\s*\n/.test(value) && words.length > 0) {
        sentences.push(words);
        words = [];
      }
    }
    if (words.length > 0) sentences.push(words);
  }
  return sentences;
}
