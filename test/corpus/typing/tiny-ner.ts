/** A tiny model for token classification, in the layout of the hub's ONNX models. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { writeModel } from "../../../src/onnx/io/file.js";
import { tensor } from "../../../src/onnx/tensor.js";

/** A model whose logits come from a table, so that each word of the vocabulary has a known label. */
export async function writeTinyNer(folder: string, labels: readonly string[]): Promise<string> {
  mkdirSync(join(folder, "onnx"), { recursive: true });
  const words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "anna", "smith", "trieste", "harbour"];
  const labelOfWord = [0, 0, 0, 0, 1, 1, 2, 0];
  const logits = new Float32Array(words.length * labels.length);
  for (const [word, label] of labelOfWord.entries()) logits[word * labels.length + label] = 8;
  const g = new GraphBuilder({ opset: 17, name: "tiny-ner" });
  const ids = g.input("input_ids", "int64", ["batch", "tokens"]);
  const table = g.weight("table", tensor("float32", [words.length, labels.length], logits));
  g.output("logits", g.add("Gather", [table, ids]), "float32", ["batch", "tokens", labels.length]);
  await writeModel(g.model(), join(folder, "onnx", "model.onnx"));
  const write = (file: string, content: object) => writeFileSync(join(folder, file), JSON.stringify(content));
  write("config.json", {
    model_type: "bert",
    architectures: ["BertForTokenClassification"],
    id2label: Object.fromEntries(labels.entries()),
    label2id: Object.fromEntries(labels.map((label, index) => [label, index])),
  });
  write("tokenizer_config.json", {
    tokenizer_class: "BertTokenizer",
    do_lower_case: true,
    pad_token: "[PAD]",
  });
  const special = words.slice(0, 4).map((content, id) => ({
    ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true },
  }));
  write("tokenizer.json", {
    version: "1.0",
    added_tokens: special,
    normalizer: { type: "BertNormalizer", clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: [
        { SpecialToken: { id: "[CLS]", type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: "[SEP]", type_id: 0 } },
      ],
      pair: [],
      special_tokens: {
        "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
        "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
      },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(words.map((word, id) => [word, id])),
    },
  });
  return folder;
}
