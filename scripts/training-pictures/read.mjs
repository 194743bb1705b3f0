/** Reads the input of a picture by its schema. Errors name the file and the field. */
import * as v from "valibot";
import { PearlError } from "../../dist/errors.js";
import { readJson } from "../../dist/files/json.js";

/** Invalid input, as files/json.ts reports it. */
export const trouble = { error: PearlError, cure: "Record it again." };

const numbers = v.record(v.string(), v.number());
/** JSON holds null for NaN, which leaves a gap. */
const numberOrGap = v.nullable(v.number());

/** The loss of a step and its parts. */
export const stepSchema = v.looseObject({
  step: v.number(),
  loss: numberOrGap,
  parts: v.optional(v.record(v.string(), numberOrGap)),
});

const reportSchema = v.looseObject({
  steps: v.number(),
  seed: v.number(),
  runs: v.pipe(
    v.array(v.looseObject({ name: v.string(), scores: numbers, mean: v.number(), cost: v.number() })),
    v.check(
      (runs) => runs.some(({ name }) => name === "whole"),
      'no run is named "whole", which the other runs are compared with',
    ),
  ),
});

/** A report of `pearl ablate --json`, or the record of benchmarks/from-scratch.mjs, which contains one. */
const ablationSchema = v.pipe(
  v.looseObject({ ablation: v.optional(v.unknown()) }),
  v.transform((whole) => whole.ablation ?? whole),
  reportSchema,
);

const curveSchema = v.looseObject({
  name: v.string(),
  stages: v.array(v.looseObject({ name: v.string(), metrics: v.pipe(v.array(stepSchema), v.nonEmpty()) })),
  scores: v.optional(
    v.array(v.looseObject({ stage: v.string(), step: v.number(), tasks: numbers })),
    /** @type {never[]} */ ([]),
  ),
});

/** @param {string} path */
export const readAblation = (path) => read(path, ablationSchema);

/** A learning curve, the output of `record`. @param {string} path */
export const readCurve = (path) => read(path, curveSchema);

/** @type {<Value>(path: string, schema: import("../../dist/files/json.js").Schema<Value>) => Promise<Value>} */
export async function read(path, schema) {
  const found = await readJson(path, schema, trouble);
  if (found === undefined) throw new PearlError(`${path} does not exist`);
  return found;
}
