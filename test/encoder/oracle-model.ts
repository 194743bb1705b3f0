/** Makes a model folder around one of the oracle's encoders, with a tokenizer whose words are "t0" … "t499". */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Encoders made by PyTorch with their results; README.md there describes them. */
export const oracleFolder = join(import.meta.dirname, "../fixtures/oracle");

export const oracleExports = [
  "encoder.folded.onnx",
  "encoder.folded.opset11.onnx",
  "encoder.folded.opset17.onnx",
  "encoder.named.onnx",
];

/** Phrases of the oracle's first batch, their tokens, and PyTorch's mean-pooled vectors of them (not normalised). */
export function oracleBatch(): { phrases: string[]; tokens: number[]; embeddings: number[][] } {
  const golden = JSON.parse(readFileSync(join(oracleFolder, "golden.json"), "utf8"));
  const { anchor_ids, anchor_mask } = golden.batches[0];
  const phrases = anchor_ids.map((ids: number[], row: number) =>
    ids
      .filter((_, at) => anchor_mask[row][at] === 1)
      .slice(1, -1)
      .map((id) => `t${id}`)
      .join(" "),
  );
  const tokens = anchor_mask.map((mask: number[]) => mask.reduce((sum, bit) => sum + bit, 0));
  return { phrases, tokens, embeddings: golden.float64.forward.anchor_embeddings };
}

/** Writes the folder and returns its path. */
export function makeOracleModel(graph: string, files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "pearl-oracle-"));
  mkdirSync(join(folder, "onnx"));
  copyFileSync(join(oracleFolder, graph), join(folder, "onnx", "model.onnx"));
  const config = { model_type: "bert", hidden_size: 32, max_position_embeddings: 64 };
  const all = {
    "config.json": JSON.stringify(config),
    "tokenizer.json": JSON.stringify(wordTokenizer()),
    "tokenizer_config.json": JSON.stringify({ pad_token: "t0", model_max_length: 64 }),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  return folder;
}

function wordTokenizer(): object {
  const vocab = Object.fromEntries(Array.from({ length: 500 }, (_, id) => [`t${id}`, id]));
  const special = [0, 101, 102].map((id) => ({
    id,
    content: `t${id}`,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  return {
    version: "1.0",
    added_tokens: special,
    normalizer: null,
    pre_tokenizer: { type: "WhitespaceSplit" },
    post_processor: {
      type: "TemplateProcessing",
      single: [
        { SpecialToken: { id: "t101", type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
        { SpecialToken: { id: "t102", type_id: 0 } },
      ],
      pair: [],
      special_tokens: {
        t101: { id: "t101", ids: [101], tokens: ["t101"] },
        t102: { id: "t102", ids: [102], tokens: ["t102"] },
      },
    },
    decoder: null,
    model: { type: "WordLevel", vocab, unk_token: "t100" },
  };
}
