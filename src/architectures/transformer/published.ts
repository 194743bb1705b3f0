/** What the files of published transformers say: their family, the tokens they read, how they pool. */
import { join } from "node:path";
import { ModelError } from "../../errors.js";
import type { Pooling } from "../architecture.js";
import { numberAt, readJson } from "../folder-json.js";
import { poolingSwitches, readPooling } from "../sentence-modules.js";

/** The families whose graphs are written from weights: `model_type` of config.json, and the encoder's class. */
export const families: Readonly<Record<string, string>> = {
  bert: "BertModel",
  roberta: "RobertaModel",
  "xlm-roberta": "XLMRobertaModel",
  camembert: "CamembertModel",
  mpnet: "MPNetModel",
  distilbert: "DistilBertModel",
  modernbert: "ModernBertModel",
};

/** `model_type` of static models, tables of token vectors. */
export const staticFamily = "model2vec";

const DEFAULT_LENGTH = 512;

/** The smallest limit that any file states: sentence-transformers', the tokenizer's, the position table's. */
export async function tokenLimit(path: string, config: object): Promise<number> {
  const sentence = (await readJson(join(path, "sentence_bert_config.json"))) ?? {};
  const tokenizer = (await readJson(join(path, "tokenizer_config.json"))) ?? {};
  // RoBERTa and MPNet count positions from padding_idx + 1, so two of their table's rows are never used.
  const family = String((config as Record<string, unknown>).model_type);
  const unused = /roberta|camembert|mpnet/i.test(family) ? 2 : 0;
  const { POSITIVE_INFINITY: none } = Number;
  const limit = Math.min(
    numberAt(sentence, "max_seq_length") ?? none,
    numberAt(tokenizer, "model_max_length") ?? none,
    (numberAt(config, "max_position_embeddings") ?? none) - unused,
  );
  // transformers writes 1e30 where it knows no limit
  return limit < 1e20 ? limit : DEFAULT_LENGTH;
}

/** As sentence-transformers' files say; "mean" where there are none. @throws ModelError for another way, or several at once */
export async function poolingOf(path: string): Promise<Exclude<Pooling, "none">> {
  const { file, settings } = await readPooling(path);
  if (settings === undefined) return "mean";
  const switches = Object.keys(settings).filter((key) => settings[key] === true);
  const prefix = "pooling_mode_";
  const named =
    settings.pooling_mode === undefined
      ? switches.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
      : [settings.pooling_mode].flat().map(String);
  const ways = Object.keys(poolingSwitches) as Exclude<Pooling, "none">[];
  const way = ways.find((own) => named.length === 1 && [own, poolingSwitches[own]].includes(named[0]));
  if (way !== undefined) return way;
  throw new ModelError(
    `${file}: pearl pools in one way: ${ways.join(", ")}; this model asks for ` +
      `${named.join(" and ") || "nothing that pearl knows"}. Use a model that pools in one of these ways.`,
  );
}
