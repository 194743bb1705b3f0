/** The record and the model card of a model trained on a corpus. */
import { formatCount } from "../../files/count-text.js";
import type { RunRecord, RunResult } from "../../training/run.js";
import { type BaseModel, cardText, phraseModel } from "../model-writer.js";
import type { MethodSettings } from "../settings/method-settings.js";
import type { CorpusFacts } from "./corpus-batches.js";

/** What training.json holds: enough to run the training again. */
export interface CorpusTrainingRecord extends RunRecord {
  /** Name of the ONNX runtime that trained. */
  readonly runtime: string;
  /** Absent for a model from scratch. */
  readonly base?: BaseModel;
  readonly corpus: CorpusFacts & { readonly name: string };
  /** A table of more pairs. */
  readonly pairs?: { readonly file: string; readonly fingerprint: string };
  readonly settings: MethodSettings;
  readonly seed: number;
  readonly model: { readonly dimension: number; readonly types: number };
  /** `parts`: the terms of the last loss by name. */
  readonly result: RunResult & { readonly parts?: Readonly<Record<string, number>> };
}

export function corpusCard(name: string, record: CorpusTrainingRecord): string {
  const { base, corpus, pairs, settings, seed, result, pearl, model } = record;
  const { characters, averageWithBase } = settings;
  const encoder =
    characters === "none" ? "none" : `${characters.from}, ${characters.width ?? "its own"} dimensions`;
  const start = base ? base.name : "scratch";
  const averaged = base !== undefined && averageWithBase < 1;
  return cardText(name, {
    ...phraseModel("this corpus", "pearl", record),
    opening: `Phrase embeddings of ${model.dimension} dimensions, trained with pearl ${pearl} from ${start}.`,
    commands: [
      `pearl encode phrases.csv --model ${name}`,
      ...(model.types > 0 ? [`pearl type "The New York Times" --model ${name}`] : []),
    ],
    training: [
      `method: PEARL (Chen, Varoquaux and Suchanek, 2024): NT-Xent at temperature ${settings.temperature} between phrases and their twins${settings.types === "learned" ? `, cross-entropy of ${model.types} phrase types` : ""}`,
      `corpus: ${corpus.name} (fingerprint ${corpus.fingerprint}), ${factsText(corpus)}`,
      `batch: ${settings.anchors} phrases with ${settings.hardNegatives} hard negatives each, ${settings.synonyms} pairs of synonyms${pairs ? `, ${settings.pairRows} pairs of ${pairs.file}` : ""}`,
      `transformer: ${base ? base.name : transformerFromScratch(settings)}; character encoder: ${encoder}`,
      `${formatCount(result.steps)} steps, learning rate ${settings.learningRate}, dropout ${settings.dropout}, seed ${seed}`,
      averaged && `averaged with the base's weights: ${averageWithBase} of the trained ones`,
    ],
  });
}

/** What a corpus has, for notes and cards. */
export const factsText = ({ phrases, typed, withHardNegatives, synonymPairs }: CorpusFacts): string =>
  `${formatCount(phrases)} phrases, ${formatCount(typed)} with a type, ${formatCount(withHardNegatives)} with hard negatives, ${formatCount(synonymPairs)} pairs of synonyms`;

function transformerFromScratch({ shape }: MethodSettings): string {
  const { hidden = 256, layers = 2, vocabulary = 16_000 } = shape;
  if (layers === 0) return "none";
  return `from scratch, ${layers} layers of ${hidden}, ${formatCount(vocabulary)} pieces`;
}
