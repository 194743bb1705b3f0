/** Augmentation: twins of a phrase at three granularities, for contrastive training. */
export {
  type AugmentTableOptions,
  type AugmentTableReport,
  augmentTable,
  type TwinCounts,
  twinCounter,
} from "./augment-table.js";
export { type AllOptions, type Augmenter, createAugmenter } from "./augmenter.js";
export {
  type Generate,
  loadParaphraser,
  type ParaphraseOptions,
  type ParaphraseReport,
  writeParaphrases,
} from "./paraphrase-model.js";
export {
  type Granularity,
  type PhraseContext,
  RULE_GROUPS,
  RULE_NAMES,
  type RuleGroup,
  type RuleName,
  rulesOfTwin,
  type Twin,
} from "./rule.js";
export {
  type AugmentationSettings,
  PRESETS,
  type PresetName,
  type Probabilities,
  type ResolvedSettings,
  type WordVectorSettings,
} from "./settings.js";
