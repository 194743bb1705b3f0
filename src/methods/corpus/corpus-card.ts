/** The model card of a model trained on a corpus: made from settings and data alone, so that it says only what was done. */
import { stringify } from "yaml";
import type { MethodSettings } from "../../pearl/method.js";
import type { CorpusFacts } from "./data-protocol.js";

/** Everything that training.json holds: enough to run the training again. */
export interface CorpusTrainingRecord {
  /** Version of pearl. */
  readonly pearl: string;
  readonly runtime: string;
  /** Absent: from scratch. */
  readonly base?: { readonly name: string; readonly fingerprint: string; readonly licence?: string };
  readonly corpus: CorpusFacts & { readonly name: string };
  /** A table of further pairs. */
  readonly pairs?: { readonly file: string; readonly fingerprint: string };
  readonly settings: MethodSettings;
  readonly seed: number;
  readonly model: { readonly dimension: number; readonly types: number };
  readonly result: {
    readonly steps: number;
    readonly loss?: number;
    readonly parts?: Readonly<Record<string, number>>;
    /** Best evaluation: mean score over the tasks that had data. */
    readonly best?: { readonly step: number; readonly score: number };
  };
}

const count = (value: number): string => value.toLocaleString("en-US");

/** README.md of the model's folder. @param name of the model */
export function corpusCard(name: string, record: CorpusTrainingRecord): string {
  const { base, corpus, settings, result, pearl, model } = record;
  const metadata = {
    ...(base?.licence && { license: base.licence }),
    ...(base && { base_model: base.name }),
    pipeline_tag: "feature-extraction",
    library_name: "pearl",
    tags: ["pearl", "phrase-embeddings", "onnx"],
  };
  const best = result.best
    ? `The weights are those of step ${result.best.step}, which scored best (${result.best.score.toFixed(4)}, a mean over benchmark tasks) while training.`
    : "No score was measured while training: `pearl bench` measures them.";
  const characters =
    settings.characters === "none"
      ? "none"
      : `${settings.characters.from}, ${settings.characters.width ?? "its own"} dimensions`;
  const typed = model.types > 0 ? `    pearl type "The New York Times" --model ${name}\n` : "";
  return `---
${stringify(metadata).trimEnd()}
---

# ${name}

Phrase embeddings of ${model.dimension} dimensions, trained with pearl ${pearl} from ${base ? base.name : "scratch"}.

## Use

    pearl encode phrases.csv --model ${name}
${typed}
## Training

- method: PEARL (Chen, Varoquaux and Suchanek, 2024): NT-Xent at temperature ${settings.temperature} between phrases and their twins${settings.types === "learned" ? `, cross-entropy of ${model.types} phrase types` : ""}
- corpus: ${corpus.name} (fingerprint ${corpus.fingerprint}), ${count(corpus.phrases)} phrases, ${count(corpus.typed)} with a type, ${count(corpus.withHardNegatives)} with hard negatives, ${count(corpus.synonymPairs)} pairs of synonyms
- a batch: ${settings.anchors} phrases with ${settings.hardNegatives} hard negatives each, ${settings.synonyms} pairs of synonyms${record.pairs ? `, ${settings.pairRows} pairs of ${record.pairs.file}` : ""}
- transformer: ${base ? base.name : transformerFromScratch(settings)}; character encoder: ${characters}
- ${count(result.steps)} steps, learning rate ${settings.learningRate}, dropout ${settings.dropout}, seed ${record.seed}${settings.averageWithBase < 1 && base ? `\n- averaged with the base's weights: ${settings.averageWithBase} of the trained ones` : ""}

training.json holds every setting.

## Quality and limits

${best} The model knows what ${base ? "its base and " : ""}this corpus taught it; phrases of other fields or languages may fare
worse. ${base?.licence ? `The licence is the base's (${base.licence}).` : base ? "The base states no licence; its terms hold here too." : "Its licence is for you to choose; mind the corpus's."}
`;
}

function transformerFromScratch({ shape }: MethodSettings): string {
  const { hidden = 256, layers = 2, vocabulary = 16_000 } = shape;
  return layers === 0 ? "none" : `from scratch, ${layers} layers of ${hidden}, ${count(vocabulary)} pieces`;
}
