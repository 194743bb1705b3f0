/** The benchmark: tasks with their protocols, baselines, runner, reports, and the download of AutoFJ's tables. */
export { cacheDataFolder, defaultDataFolder } from "./data-folder.js";
export { autofjSets, type DownloadOptions, type DownloadOutcome, downloadAutofj } from "./download.js";
export type { EmbeddingModel, FittedSimilarity, PhraseModel, SimilarityModel } from "./model.js";
export { baselineNames, resolveModel } from "./models.js";
export { formatReports, reportsAsJson } from "./report.js";
export { reportsAsPage } from "./report-page.js";
export {
  type BenchmarkRequest,
  type BenchmarkResult,
  type ModelReport,
  parseProtocol,
  type RunProgress,
  runBenchmark,
  type SkippedTask,
} from "./runner.js";
export { type Protocol, protocols } from "./task.js";
export { taskNames } from "./tasks/index.js";
