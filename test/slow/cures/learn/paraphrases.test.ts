/** Messages of `pearl augment --paraphrase-model` and `pearl corpus build --ner-model`: each names a cure, which is applied and works. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTextModel } from "../../../augmentation/text-model.js";
import { writeTinyNer } from "../../../corpus/typing/tiny-ner.js";
import { claimCures } from "../cases.js";

const augment = "pearl augment x.csv -o p.tsv -q --paraphrase-model";
const copy = `cp -r ${makeTextModel()} t5`;
const labels = ["O", "B-PER", "B-LOC"];
const ner = await writeTinyNer(mkdtempSync(join(tmpdir(), "pearl-ner-")), labels);
const build = "pearl corpus build t.txt -o corpus --min-count 1 -q --ner-model ./ner";
const hasParaphrase = "grep -q 'red wine.*indeed' p.tsv";

claimCures(
  {
    "a text-to-text model that is none": {
      files: {},
      wrong: `${augment} ./t5`,
      says: "Give a hub id with ONNX files, such as Xenova/flan-t5-small, or a folder",
      cured: `${copy} && ${augment} t5 && ${hasParaphrase}`,
    },
    "a format of paraphrases": {
      files: {},
      before: copy,
      wrong: `${augment} t5 --format jsonl`,
      says: "as --paraphrases reads them: leave out --format",
      cured: `${augment} t5 && ${hasParaphrase}`,
    },
    "a model that cannot type phrases": {
      files: { "t.txt": "The old harbour wall of Trieste was read by Anna.\n" },
      wrong: `mkdir ner; ${build}`,
      says: "Give a folder with config.json, tokenizer.json and onnx/model.onnx, or a hub id of such a model.",
      cured: `rmdir ner && cp -r ${ner} ner && ${build}`,
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
