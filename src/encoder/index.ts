/** Models and the vectors they give. */
export { type ExportOptions, type ExportReport, exportSafetensors } from "./export-safetensors.js";
export { downloadModel } from "./hub.js";
export { type ImportOptions, type ImportReport, importModel } from "./import-model.js";
export { DEFAULT_MODEL, embeddedModels, locateModel } from "./locate.js";
export { type ModelFolder, readModelFolder } from "./model-folder.js";
export {
  type Embedding,
  type EmbeddingMatrix,
  type EncodeOptions,
  type LoadOptions,
  PhraseEncoder,
  type TypedMatrix,
  type TypeProbability,
  type TypesOptions,
} from "./phrase-encoder.js";
