/**
 * Models that teach a training on pairs by their vectors of all phrases, computed once before the first step. The vectors of
 * several are joined, so that a cosine is the mean of theirs.
 */
import { averageRanks, pearson } from "../../benchmark/metrics.js";
import { dotProducts } from "../../encoder/batching.js";
import { type LoadOptions, PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { ArgumentError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { type ObjectiveName, objectiveNamed, objectiveNames } from "../../objectives/registry.js";
import type { Tensor } from "../../runtime/tensor.js";
import { mean } from "../../statistics.js";
import type { PreparedRun, RunRecord } from "../../training/run.js";
import type { Scored } from "../../training/trainer.js";
import { describeBase } from "../start-model.js";
import { evaluationTimes } from "./held-out.js";
import type { Pair } from "./pairs.js";
import type { TermOptions } from "./views.js";

/** What training.json says of a teacher. */
export interface TeacherRecord {
  /** A hub id, or a folder's name; of several teachers, joined by " + ". */
  readonly name: string;
  /** Of its vectors. */
  readonly fingerprint: string;
  readonly dimension: number;
}

export interface Teacher {
  readonly record: TeacherRecord;
  /** The folder of each model. */
  readonly paths: readonly string[];
  /** Its vectors of phrases that it has read, of length 1: float32 [phrases, dimension]. */
  vectorsOf(phrases: readonly string[]): Tensor;
}

const useOf = (objective: ObjectiveName) => objectiveNamed(objective).needs.teacher ?? "none";

/** Whether an objective imitates its teacher. For others that take one, it only finds false negatives. */
export const isImitation = (objective: ObjectiveName): boolean => useOf(objective) === "required";

/** @throws ArgumentError where an objective lacks its teacher, or cannot use one */
export function checkTeacher(name: ObjectiveName, teachers: readonly string[]): void {
  const twice = teachers.find((model, place) => teachers.indexOf(model) !== place);
  if (twice !== undefined) throw new ArgumentError(`the teacher ${twice} is given twice. Give it once.`);
  if (isImitation(name) && teachers.length === 0)
    throw new ArgumentError(`the objective ${name} imitates another model. Name it: --teacher MODEL`);
  if (useOf(name) !== "none" || teachers.length === 0) return;
  const able = objectiveNames.filter((other) => useOf(other) !== "none");
  throw new ArgumentError(
    `the objective ${name} takes no teacher. Leave --teacher out, or choose one of ${able.join(", ")}.`,
  );
}

type ReadOptions = Pick<LoadOptions, "device" | "threads" | "signal" | "onNote" | "onDownload">;

/** Loads each teacher and reads all texts, positives and negatives. @throws ArgumentError for a teacher that does not fit */
export async function teacherFor(
  { teachers, ...options }: ReadOptions & { readonly teachers: readonly string[] },
  { objective: { name, settings }, dims = [] }: Pick<TermOptions, "objective" | "dims">,
  given: {
    /** The folder of the model that is trained. */
    readonly base: string;
    readonly pairs: readonly Pair[];
    readonly width: number;
    readonly scores: "used" | "none";
  },
): Promise<Teacher | undefined> {
  const { pairs, width, scores } = given;
  if (teachers.length === 0) return undefined;
  if (scores === "used")
    throw new ArgumentError(
      `with scores, the objective ${name} compares no phrases of a batch, and a teacher cannot guide it. Leave out ` +
        "--teacher, or the column score.",
    );
  const phrases = pairs.flatMap(({ text, positive, negative }) => [
    text,
    positive,
    ...(negative ? [negative] : []),
  ]);
  const all = [];
  for (const model of teachers) all.push(await readTeacher(model, phrases, options));
  const teacher = all.length === 1 ? all[0] : joined(all);
  const { dimension } = teacher.record;
  const odd = [...dims, width].find((length) => length !== dimension);
  if (settings.match === "vectors" && odd !== undefined)
    throw new ArgumentError(
      `match=vectors needs embeddings of the teacher's ${dimension} dimensions, not ${odd}. Choose match=neighbours.`,
    );
  if (isImitation(name) && String(teacher.paths) === given.base && dims.length === 0)
    options.onNote?.(
      "the teacher is the base, and there is nothing to imitate. Name a larger --teacher, or shorter lengths: --dims",
    );
  return teacher;
}

/** Reads each distinct phrase once. @throws ModelError */
async function readTeacher(model: string, phrases: Iterable<string>, options: ReadOptions): Promise<Teacher> {
  const places = new Map([...new Set(phrases)].map((phrase, place) => [phrase, place]));
  const encoder = await PhraseEncoder.load(model, options);
  try {
    const { name } = await describeBase(model, encoder.model);
    options.onNote?.(
      `teacher: ${name}, ${encoder.dimension} dimensions, reads ${formatCount(places.size)} phrases`,
    );
    const { data, dimension } = await encoder.encodeMatrix([...places.keys()], { signal: options.signal });
    const vectorsOf = (asked: readonly string[]): Tensor => {
      const rows = new Float32Array(asked.length * dimension);
      for (const [row, phrase] of asked.entries()) {
        const start = (places.get(phrase) as number) * dimension;
        rows.set(data.subarray(start, start + dimension), row * dimension);
      }
      return { type: "float32", dims: [asked.length, dimension], data: rows };
    };
    const record = { name, fingerprint: await encoder.fingerprint(), dimension };
    return { record, paths: [encoder.model.path], vectorsOf };
  } finally {
    await encoder.dispose();
  }
}

/** Teachers as one, each with an equal share of the squared length. */
function joined(teachers: readonly Teacher[]): Teacher {
  const records = teachers.map(({ record }) => record);
  const dimension = records.reduce((sum, record) => sum + record.dimension, 0);
  const length = Math.sqrt(1 / teachers.length);
  return {
    record: {
      name: records.map(({ name }) => name).join(" + "),
      fingerprint: records.map(({ fingerprint }) => fingerprint).join(" "),
      dimension,
    },
    paths: teachers.flatMap(({ paths }) => paths),
    vectorsOf(phrases) {
      const data = new Float32Array(phrases.length * dimension);
      let before = 0;
      for (const teacher of teachers) {
        for (const [row, vector] of rowsOf(teacher.vectorsOf(phrases)).entries())
          data.set(
            vector.map((value) => length * value),
            row * dimension + before,
          );
        before += teacher.record.dimension;
      }
      return { type: "float32", dims: [phrases.length, dimension], data };
    },
  };
}

/** At most so many held-out phrases are compared, each with each other. */
const mostCompared = 1000;

/**
 * How well a model agrees with its teacher on phrases that it was not trained on, about ten times while training.
 * @param options.share the only share of an average that is scored, if one is given
 */
export function agreementOn(
  heldOut: readonly Pair[],
  teacher: Teacher,
  { share }: { readonly share?: number } = {},
): PreparedRun<RunRecord>["evaluation"] {
  if (heldOut.length === 0) return undefined;
  const phrases = [...new Set(heldOut.flatMap(({ text, positive }) => [text, positive]))].slice(
    0,
    mostCompared,
  );
  const wanted = cosinesOf(rowsOf(teacher.vectorsOf(phrases)));
  const ranks = averageRanks(wanted);
  return {
    ...evaluationTimes(share),
    measure: `agreement with ${teacher.record.name} on ${formatCount(phrases.length)} held-out phrases`,
    score: (folder, signal) => agreement(folder, { phrases, wanted, ranks, signal }),
  };
}

/** Spearman's correlation of the cosines of all pairs of phrases with the teacher's; the loss is their mean squared difference. */
async function agreement(
  model: string,
  given: {
    readonly phrases: readonly string[];
    readonly wanted: Float32Array;
    readonly ranks: Float64Array;
    readonly signal?: AbortSignal;
  },
): Promise<Scored> {
  const { phrases, wanted, ranks, signal } = given;
  const vectors = await withEncoder(undefined, { source: model, threads: 1, signal }, (encoder) =>
    encoder.encode(phrases, { signal }),
  );
  const found = cosinesOf(vectors);
  const score = pearson(averageRanks(found), ranks);
  const loss = mean(Array.from(found, (cosine, i) => (cosine - wanted[i]) ** 2));
  return { score, figures: { agreement: score, loss } };
}

const rowsOf = ({ dims: [rows, width], data }: Tensor): Float32Array[] =>
  Array.from({ length: rows }, (_, row) => (data as Float32Array).subarray(row * width, (row + 1) * width));

/** Cosines of each pair of vectors, which have length 1. */
function cosinesOf(vectors: readonly Float32Array[]): Float32Array {
  const rows = dotProducts(vectors, vectors);
  return Float32Array.from(rows.flatMap((row, i) => [...row.subarray(i + 1)]));
}
