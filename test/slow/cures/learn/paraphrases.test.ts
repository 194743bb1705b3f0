/** Messages of `pearl augment --paraphrase-model`: each names a cure, which is applied and works. */
import { makeTextModel } from "../../../pearl/augmentation/phrase/text-model.js";
import { claimCures } from "../cases.js";

const augment = "pearl augment x.csv -o p.tsv -q --paraphrase-model";
const copy = `cp -r ${makeTextModel()} t5`;
const hasParaphrase = "grep -q 'red wine.*indeed' p.tsv";

claimCures(
  {
    "a text-to-text model that is none": {
      files: {},
      wrong: `${augment} ./t5`,
      says: "Give a hub id with ONNX files, such as Xenova/flan-t5-small, or a folder",
      cured: `${copy} && ${augment} t5 && ${hasParaphrase}`,
    },
    "paraphrases of an earlier run that are damaged": {
      files: {},
      before: copy,
      wrong: `echo { > p.tsv.partial; ${augment} t5`,
      says: "Delete the file to start again.",
      cured: `rm p.tsv.partial && ${augment} t5 && ${hasParaphrase}`,
    },
  },
  { files: { "x.csv": "name\nred wine\n" } },
);
