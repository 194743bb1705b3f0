/** Rows in and out: tables of phrases are read whole and safely, vectors are written beside their rows. */
export { EmbeddingWriter, type EmbeddingWriterOptions, type WrittenEmbeddings } from "./embedding-writer.js";
export type { EmbeddingFormat, TableFormat } from "./format.js";
export { type RowRange, readColumns, Table, type TableDescription, type TableOptions } from "./table.js";
export { checkRowsName, csvLine, writeRows } from "./text-rows.js";
