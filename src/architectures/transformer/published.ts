/** What the files of published transformers say: their family, the tokens they read, how they pool. */
import { join } from "node:path";
import { ModelError } from "../../errors.js";
import type { Pooling } from "../architecture.js";
import { numberAt, readJson } from "../folder-json.js";

/** The families whose graphs are written from weights: `model_type` of config.json, and the encoder's class. */
export const families: Readonly<Record<string, string>> = {
  bert: "BertModel",
  roberta: "RobertaModel",
  "xlm-roberta": "XLMRobertaModel",
  camembert: "CamembertModel",
};

const DEFAULT_LENGTH = 512;

/** The smallest limit that any file states: sentence-transformers', the tokenizer's, the position table's. */
export async function tokenLimit(path: string, config: object): Promise<number> {
  const sentence = (await readJson(join(path, "sentence_bert_config.json"))) ?? {};
  const tokenizer = (await readJson(join(path, "tokenizer_config.json"))) ?? {};
  // RoBERTa counts positions from padding_idx + 1, so two of its table's rows are never used.
  const family = String((config as Record<string, unknown>).model_type);
  const unused = /roberta|camembert/i.test(family) ? 2 : 0;
  const { POSITIVE_INFINITY: none } = Number;
  const limit = Math.min(
    numberAt(sentence, "max_seq_length") ?? none,
    numberAt(tokenizer, "model_max_length") ?? none,
    (numberAt(config, "max_position_embeddings") ?? none) - unused,
  );
  // transformers writes 1e30 where it knows no limit
  return limit < 1e20 ? limit : DEFAULT_LENGTH;
}

/** Names of sentence-transformers 6, and of the switches of earlier versions, `pooling_mode_<name>`. */
const poolings: Readonly<Record<string, Pooling>> = {
  ...{ mean: "mean", cls: "cls", max: "max" },
  ...{ mean_tokens: "mean", cls_token: "cls", max_tokens: "max" },
};

/** As sentence-transformers' files say; "mean" where there are none. @throws ModelError for another way, or several at once */
export async function poolingOf(path: string): Promise<Pooling> {
  const settings = await readJson(join(path, "1_Pooling", "config.json"));
  if (settings === undefined) return "mean";
  const switches = Object.keys(settings).filter((key) => settings[key] === true);
  const prefix = "pooling_mode_";
  const modes =
    settings.pooling_mode === undefined
      ? switches.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
      : [settings.pooling_mode].flat().map(String);
  if (modes.length === 1 && Object.hasOwn(poolings, modes[0])) return poolings[modes[0]];
  throw new ModelError(
    `${path}/1_Pooling/config.json: pearl pools by mean, cls or max alone; this model asks for ` +
      `${modes.join(" and ") || "nothing that pearl knows"}. Use a model that pools in one of these ways.`,
  );
}
