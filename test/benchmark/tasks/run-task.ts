/** Runs one task on the small benchmark or on a folder of its own, with seed 0. */
import type { PhraseModel } from "../../../src/benchmark/models.js";
import type { Protocol, Task } from "../../../src/benchmark/task.js";
import { writeData } from "../small-data.js";

const dataFolder = writeData();

interface RunSettings {
  readonly protocol?: Protocol;
  readonly dataset?: string;
  readonly folder?: string;
}

export async function run(task: Task, model: PhraseModel, settings: RunSettings = {}) {
  const { protocol = "fair", dataset, folder = dataFolder } = settings;
  return task.run({ model, protocol, dataset, dataFolder: folder, seed: 0 });
}

export async function scoresOf(task: Task, model: PhraseModel, settings: RunSettings = {}) {
  const { scores } = await run(task, model, settings);
  return Object.fromEntries(scores.map((score) => [`${score.dataset} ${score.metric}`, score.score]));
}
