/** Hard negatives: phrases that are spelt alike and mean something else. */
export { comparableForm, editRatio } from "./edit-ratio.js";
export {
  type MineOptions,
  type MiningEncoder,
  type MiningProgress,
  type MiningReport,
  mineCorpus,
} from "./mine.js";
