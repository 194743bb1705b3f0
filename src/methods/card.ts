/** Model cards: README.md of a trained model, made from its settings and data alone, so that it states only what was done. */
import { stringify } from "yaml";
import type { RunResult } from "../training/run.js";

/** The model that a training started from. */
export interface BaseModel {
  /** A hub id, or a folder's name. */
  readonly name: string;
  /** Of its graph. */
  readonly fingerprint: string;
  readonly licence?: string;
}

export interface CardParts {
  readonly metadata: object;
  readonly opening: string;
  readonly commands: readonly string[];
  readonly use?: string;
  /** Facts about the training; false ones are left out. */
  readonly training: readonly (string | false)[];
  readonly limits: string;
}

export function cardText(name: string, parts: CardParts): string {
  const { metadata, opening, commands, use, training, limits } = parts;
  return `---
${stringify(metadata).trimEnd()}
---

# ${name}

${opening}

## Use

${commands.map((line) => `    ${line}`).join("\n")}
${use === undefined ? "" : `\n${use}\n`}
## Training

${training
  .filter((fact) => fact !== false)
  .map((fact) => `- ${fact}`)
  .join("\n")}

training.json holds every setting.

## Quality and limits

${limits}
`;
}

/** Metadata and limits of a model of phrases. @param taught what it was trained on, such as "these pairs" */
export function phraseModel(
  taught: string,
  library: string,
  { base, result: { best } }: { readonly base?: BaseModel; readonly result: RunResult },
): Pick<CardParts, "metadata" | "limits"> {
  const quality = best
    ? `The weights are those of step ${best.step}, which scored best (${best.score.toFixed(4)}, a mean over benchmark tasks) while training.`
    : unmeasured("pearl bench");
  const licence = base?.licence
    ? `The licence is the base's (${base.licence}).`
    : base
      ? "The base states no licence; its terms apply here too."
      : "You choose the licence; mind the corpus's.";
  return {
    metadata: {
      ...(base?.licence && { license: base.licence }),
      ...(base && { base_model: base.name }),
      pipeline_tag: "feature-extraction",
      library_name: library,
      tags: ["pearl", "phrase-embeddings", "onnx"],
    },
    limits:
      `${quality} The model knows what ${base ? "its base and " : ""}${taught} taught it; expect lower quality on ` +
      `phrases of other fields or languages. ${licence}`,
  };
}

/** The sentence of a model without scores. @param command measures it */
export const unmeasured = (command: string): string =>
  `No score was measured while training: \`${command}\` measures the model.`;
