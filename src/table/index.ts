/** Rows in and out: tables of phrases are read whole and safely, vectors are written beside their rows. */

export type { EmbeddingFormat, TableFormat } from "./format.js";
export { type RowRange, readColumns, Table, type TableDescription, type TableOptions } from "./table.js";
export {
  EmbeddingWriter,
  type EmbeddingWriterOptions,
  type WrittenEmbeddings,
} from "./write/embedding-writer.js";
export { checkRowsName, csvLine, writeRows } from "./write/text-rows.js";
