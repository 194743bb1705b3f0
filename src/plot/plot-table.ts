/** Draws the phrases of a table as a map: reads, samples, encodes, projects, draws and writes. */
import { basename, extname } from "node:path";
import type { EncoderSource } from "../encoder/encode-table.js";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { UsageError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { isPostgresAddress } from "../files/place.js";
import { createRandom, sampleWithout } from "../random.js";
import { gatherRows, isZero } from "../search/vectors.js";
import { stemOf } from "../table/format.js";
import { Table, type TableOptions } from "../table/table.js";
import { writeOutput } from "../table/trouble.js";
import { leastPhrases, type MapPoint, mapAsSvg } from "./map.js";
import { mapAsHtml } from "./map-page.js";

/** Settings of a map. */
export interface PlotOptions {
  /** How the table is read. */
  readonly table?: TableOptions;
  /**
   * The column that sets the colours, or "type" if the table has no such column: the entity type predicted by the model
   * or, without a type head, by rules and the names in WordNet. Default: one colour.
   */
  readonly color?: string;
  /** Maximum rows drawn; of a larger table, a random sample. Default 3,000. */
  readonly sample?: number;
  /** Neighbours that UMAP keeps near each phrase. Default 15. */
  readonly neighbours?: number;
  /** The same seed gives the same map. Default 0. */
  readonly seed?: number;
  /** Default: the file's name. */
  readonly title?: string;
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
  /** Called with the current stage, the steps done and the total. */
  readonly onProgress?: (stage: string, done: number, total: number) => void;
}

/** What was drawn. */
export interface PlotReport {
  readonly path: string;
  /** Rows drawn. */
  readonly drawn: number;
  /** Rows of the table. */
  readonly rows: number;
  readonly bytes: number;
}

type Row = Pick<MapPoint, "phrase" | "category">;

/**
 * Draws a map of a table's phrases into a file that ends in .html or .svg.
 * @throws UsageError for another ending, TableError for a missing column or too few phrases, ModelError
 */
export async function plotTable(
  file: string,
  output: string,
  encoder: EncoderSource,
  options: PlotOptions = {},
): Promise<PlotReport> {
  const ending = checkPlotName(output);
  if (options.sample !== undefined && options.sample < leastPhrases)
    throw new UsageError(
      `a sample of ${options.sample}: a map needs at least ${leastPhrases} phrases. Draw more (--sample).`,
    );
  options.signal?.throwIfAborted();
  const table = await Table.open(file, { signal: options.signal, ...options.table });
  try {
    const { rowCount, columns } = table.description;
    const isTyped = options.color === "type" && !columns.includes("type");
    const { chosen, filled } = await chooseRows(table, isTyped ? undefined : options.color, options);
    const loaded = typeof encoder === "function" ? await encoder(table.description) : encoder;
    const { vectors, rows } = await encodeRows(loaded, chosen, options);
    const types = isTyped ? await typesOf(loaded, rows, options) : undefined;
    options.onProgress?.("projecting", 0, 1);
    const { projectToPlane } = await import("./project.js");
    const places = await projectToPlane(vectors, {
      ...options,
      dimension: loaded.dimension,
      onProgress: (done, total) => options.onProgress?.("projecting", done, total),
    });
    const points = rows.map(({ phrase, category }, index) => {
      const [x, y] = places[index];
      return { phrase, category: types?.categories[index] ?? category, x, y };
    });
    const drawing = {
      title:
        options.title ?? (file === "-" ? "phrases" : isPostgresAddress(file) ? stemOf(file) : basename(file)),
      notes: notesOn(points.length, chosen.length < filled ? filled : undefined, loaded, options),
      categoriesAre: types?.source ?? options.color,
      points,
    };
    options.signal?.throwIfAborted();
    const content = Buffer.from(ending === ".html" ? mapAsHtml(drawing) : mapAsSvg(drawing));
    await writeOutput(output, content);
    return { path: output, drawn: points.length, rows: rowCount, bytes: content.length };
  } finally {
    await table.close();
  }
}

const endings = [".html", ".svg"] as const;
type Ending = (typeof endings)[number];

/** The ending of an output's name. @throws UsageError for an unknown one */
export function checkPlotName(output: string): Ending {
  const ending = endings.find((known) => known === extname(output).toLowerCase());
  if (ending !== undefined) return ending;
  throw new UsageError(`${output}: the name of a map must end in .html or .svg.`);
}

/** The rows with a phrase, or a random sample of them, in the order of the table; and how many have one. */
async function chooseRows(
  table: Table,
  colour: string | undefined,
  { sample = 3000, seed = 0, onNote }: PlotOptions,
): Promise<{ chosen: readonly Row[]; filled: number }> {
  const categories = colour === undefined ? undefined : table.columnValues(colour);
  const rows: Row[] = [];
  let empty = 0;
  for await (const phrases of table.phrases()) {
    const values = categories && (await categories.next()).value;
    phrases.forEach((phrase, index) => {
      if (phrase.trim() === "") empty++;
      else rows.push({ phrase, category: values?.[index] ?? "" });
    });
  }
  if (empty > 0) onNote?.(`rows skipped because they have no phrase: ${empty}`);
  if (rows.length <= sample) return { chosen: rows, filled: rows.length };
  onNote?.(`${sample} of ${rows.length} rows are drawn, chosen at random (--sample draws more)`);
  const places = sampleWithout([...rows.keys()], sample, createRandom(seed)).sort((a, b) => a - b);
  return { chosen: places.map((place) => rows[place]), filled: rows.length };
}

/** Embeds the rows and drops those with a zero embedding, about which the model knows nothing. */
async function encodeRows(
  encoder: PhraseEncoder,
  rows: readonly Row[],
  { signal, onNote, onProgress }: PlotOptions,
): Promise<{ vectors: Float32Array; rows: readonly Row[] }> {
  const phrases = rows.map(({ phrase }) => phrase);
  const { data, dimension } = await encoder.encodeMatrix(phrases, {
    signal,
    onProgress: (done, total) => onProgress?.("encoding", done, total),
  });
  const known = [...rows.keys()].filter((row) => !isZero(data, row, dimension));
  if (known.length === rows.length) return { vectors: data, rows };
  onNote?.(`phrases skipped because they have no embedding: ${rows.length - known.length}`);
  return { vectors: gatherRows(data, known, dimension), rows: known.map((row) => rows[row]) };
}

async function typesOf(encoder: PhraseEncoder, rows: readonly Row[], { signal, onNote }: PlotOptions) {
  const phrases = rows.map(({ phrase }) => phrase);
  const { name, types: known } = encoder.model;
  if (known.length > 0) {
    const types = await encoder.types(phrases, { signal });
    const categories = types.map(([{ type }]) => type.slice(type.indexOf("-") + 1));
    return { categories, source: `entity type, predicted by ${name}` };
  }
  onNote?.(`${name} predicts no types; rules and the names in WordNet are used instead`);
  // Taggers and word lists take a second to load and are rarely needed.
  const { createPhraseTyper } = await import("../corpus/typing/phrase-typer.js");
  const typer = await createPhraseTyper();
  const categories = phrases.map((phrase) => typer(phrase, "NP")?.type ?? "");
  return { categories, source: "entity type, by rules and the names in WordNet" };
}

/** @param sampledFrom undefined where all phrases are drawn */
function notesOn(
  drawn: number,
  sampledFrom: number | undefined,
  encoder: PhraseEncoder,
  { seed = 0 }: PlotOptions,
): string[] {
  const which =
    sampledFrom === undefined
      ? `${formatCount(drawn)} phrases`
      : `${formatCount(drawn)} of ${formatCount(sampledFrom)} phrases, chosen at random (seed ${seed})`;
  return [
    `${which}, encoded by ${encoder.model.name}, projected by UMAP.`,
    "Neighbouring phrases are similar; long distances and directions mean little.",
  ];
}
