/** Display names of losses, parts, tasks and stages, and signed numbers. */

const losses = {
  training_loss: "whole loss",
  nt_xent: "pairs, whole embedding",
  nt_xent_phrase: "pairs, phrase part",
  nt_xent_characters: "pairs, character part",
  nt_xent_prefix: "pairs, short embedding",
  type_loss: "phrase types",
  context_loss_of_spans: "spans in their context",
  divergence_of_shares: "shares of the parts",
  context_loss: "phrases in their context",
};

const parts = {
  whole: "the whole method",
  types: "without phrase types",
  characters: "without character encoder",
  "character-pretraining": "with an untrained LOVE",
  "hard-negatives": "without hard negatives",
  "character-augmentation": "without character augmentation",
  "token-augmentation": "without token augmentation",
  "phrase-augmentation": "without phrase augmentation",
  averaging: "without averaging",
};

const tasks = {
  ppdb: "PPDB",
  "ppdb-filtered": "PPDB-filtered",
  turney: "Turney",
  bird: "BIRD",
  yago: "YAGO",
  umls: "UMLS",
  conll: "CoNLL",
  bc5cdr: "BC5CDR",
  autofj: "AutoFJ",
};

const stages = { pretrain: "Pretraining", finetune: "Fine-tuning" };

const lookUp = (names, name) => (Object.hasOwn(names, name) ? names[name] : undefined);

/** @param {string} name name of the loss in the training graph @returns {string} */
export const lossName = (name) => lookUp(losses, name) ?? name;

/** @param {string} name "whole", or the removed part @returns {string} */
export const rowName = (name) => lookUp(parts, name) ?? `without ${name}`;

/** @param {string} name @returns {string} */
export const taskName = (name) => lookUp(tasks, name) ?? name;

/** @param {string} name @returns {string} */
export const stageName = (name) => lookUp(stages, name) ?? name;

/**
 * Formats a number with a typographic minus sign, as wide as a plus.
 * @param {number} value
 * @param {number} digits
 */
export function plain(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** Formats a number with a sign, "±" if it rounds to 0. @param {number} value @param {number} digits */
export function signed(value, digits) {
  const text = plain(value, digits);
  if (Number(text) === 0) return `±${text}`;
  return value > 0 ? `+${text}` : text;
}

/** @param {number} count */
export const formatCount = (count) => count.toLocaleString("en-US");
