/**
 * Soft whitening of the spelling part of an embedding. Most of the variance of trained embeddings lies along
 * few directions; scaling each direction by eigenvalue^(-power/2) of the covariance gives rarer differences
 * more weight. Su et al., 2021, "Whitening Sentence Representations for Better Semantics and Faster
 * Retrieval", use power 1, which loses accuracy here. The matrix is folded into the adjacent weights: no
 * layer is added, and training can continue.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { typeWidth } from "../../../dist/architectures/pearl-mini/sizes.js";
import { PhraseEncoder } from "../../../dist/encoder/phrase-encoder.js";
import { readModel, writeModel } from "../../../dist/onnx/io/file.js";
import { tensor } from "../../../dist/onnx/tensor.js";
import { forgetChecksums } from "./forget-checksums.mjs";

/**
 * Eigenvalues are raised to at least this fraction of the largest, so that empty directions are not
 * amplified.
 */
const SMALLEST = 1e-4;

/**
 * Whitens the spelling part of a model by its covariance over sample phrases, in place.
 * @param {string} folder a word encoder, tables as float32
 * @param {readonly string[]} phrases
 * @param {number} power from 0, which changes nothing, to 1, which whitens completely
 */
export async function whitenCharacters(folder, phrases, power) {
  const sizes = JSON.parse(readFileSync(join(folder, "config.json"), "utf8")).pearl.word_encoder;
  const encoder = await PhraseEncoder.load(folder);
  const { data } = await encoder.encodeMatrix(phrases);
  await encoder.dispose();
  const characters = characterColumns(sizes);
  const { whitening, undo } = whiteningMatrices(unitRows(data, phrases.length, characters), power);
  const model = readModel(join(folder, "onnx/model.onnx"));
  /** @param {string} name @param {(matrix: Matrix) => Matrix} change */
  const update = (name, change) => {
    const found = model.graph.initializers.get(name);
    if (found?.type !== "float32") throw new Error(`${folder}: ${name} is not a float32 weight`);
    const [rows, width] = found.dims;
    const matrix = change(Matrix.from1DArray(rows, width, /** @type {any} */ (found.data)));
    model.graph.initializers.set(name, tensor("float32", found.dims, Float32Array.from(matrix.to1DArray())));
  };
  update("ngrams.weight", (table) => table.mmul(whitening));
  // layers that read the spelling part undo the whitening, so their inputs do not change
  for (const name of ["from_characters.weight", "char_weight_rare.weight"]) update(name, (w) => w.mmul(undo));
  const both = Matrix.eye(sizes.characters + sizes.meaning);
  both.setSubMatrix(undo, 0, 0);
  update("type_hidden.weight", (w) => w.mmul(both));
  forgetChecksums(folder);
  writeModel(model, join(folder, "onnx/model.onnx"));
}

/**
 * Columns of the embedding that hold spelling: the embedding holds types, the prefix of spelling and of
 * meaning, then the rest of both.
 * @param {import("../../../dist/architectures/pearl-mini/sizes.js").WordEncoderSizes} sizes
 */
function characterColumns(sizes) {
  const { characters, prefix = { characters: 0, meaning: 0 } } = sizes;
  const first = typeWidth(sizes);
  return Array.from({ length: characters }, (_, i) =>
    i < prefix.characters ? first + i : first + prefix.meaning + i,
  );
}

/**
 * The given columns of each row, scaled to length 1; rows of zeros are dropped.
 * @param {Float32Array} data @param {number} count @param {readonly number[]} columns
 */
function unitRows(data, count, columns) {
  const width = data.length / count;
  const rows = Array.from({ length: count }, (_, row) => {
    const values = columns.map((column) => data[row * width + column]);
    const length = Math.hypot(...values);
    return length > 1e-6 ? values.map((value) => value / length) : [];
  });
  return new Matrix(rows.filter(({ length }) => length > 0));
}

/**
 * The matrix that whitens rows and keeps their mean length, and its inverse; both are symmetric.
 * @param {Matrix} rows @param {number} power
 */
function whiteningMatrices(rows, power) {
  const centred = rows.clone().center("column");
  const covariance = centred.transpose().mmul(centred).div(rows.rows);
  const { realEigenvalues, eigenvectorMatrix: axes } = new EigenvalueDecomposition(covariance, {
    assumeSymmetric: true,
  });
  const least = Math.max(...realEigenvalues) * SMALLEST;
  const scales = realEigenvalues.map((value) => Math.max(value, least) ** (-power / 2));
  const along = (/** @type {number[]} */ by) => axes.mmul(Matrix.diag(by)).mmul(axes.transpose());
  const stretched = rows.mmul(along(scales));
  const length = stretched.to2DArray().reduce((sum, row) => sum + Math.hypot(...row), 0) / rows.rows;
  return {
    whitening: along(scales.map((scale) => scale / length)),
    undo: along(scales.map((scale) => length / scale)),
  };
}
