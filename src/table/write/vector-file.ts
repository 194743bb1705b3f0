/** A growing file of vectors, laid out so that it becomes the output without being copied. */
import { type FileHandle, open } from "node:fs/promises";
import { writeAll } from "../../files/whole-file.js";
import { pageHead, pageRowsFor, parquetMark } from "./parquet-vectors.js";

/** Room for any shape, and a multiple of 64 as NumPy aligns it. */
const npyHeaderBytes = 128;

/**
 * The header of a little-endian float32 matrix in row order, shape (rows, dimension), in NumPy's .npy format.
 * Source: numpy.lib.format, version 1.0.
 */
function npyHeader(rows: number, dimension: number): Buffer {
  const shape = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${dimension}), }`;
  const text = shape.padEnd(npyHeaderBytes - 11);
  const size = String.fromCharCode(text.length + 1, 0);
  return Buffer.from(`\x93NUMPY\x01\x00${size}${text}\n`, "latin1");
}

export interface VectorFileShape {
  /** "npy": a header and rows; "parquet": pages of a Parquet column. */
  readonly layout: "npy" | "parquet";
  readonly dimension: number;
  /** Rows of the complete file. */
  readonly rows: number;
}

/** Vectors are written page by page. After an interruption the whole pages count. */
export class VectorFile {
  private readonly rowBytes: number;
  private readonly pageRows: number;
  private readonly head: Buffer;
  private readonly fileHead: Buffer;
  /** The page that is being filled, its head included. */
  private readonly page: Buffer;
  private rowsInPage = 0;
  private pagesWritten = 0;

  private constructor(
    readonly file: FileHandle,
    private readonly shape: VectorFileShape,
  ) {
    const { layout, dimension, rows } = shape;
    this.rowBytes = dimension * 4;
    this.pageRows = pageRowsFor(dimension);
    this.fileHead = layout === "npy" ? npyHeader(rows, dimension) : parquetMark;
    this.head = layout === "npy" ? Buffer.alloc(0) : pageHead(this.pageRows, dimension);
    this.page = Buffer.alloc(this.head.length + this.pageRows * this.rowBytes);
    this.head.copy(this.page);
  }

  /** Opens a new file, or with `resume` one that an earlier run left, cut after its last whole page. */
  static async open(path: string, shape: VectorFileShape, options: { resume: boolean }): Promise<VectorFile> {
    const vectors = new VectorFile(await open(path, options.resume ? "r+" : "w+"), shape);
    await vectors.start().catch(async (error: unknown) => {
      await vectors.close();
      throw error;
    });
    return vectors;
  }

  private async start(): Promise<void> {
    const { size } = await this.file.stat();
    const pages = Math.floor((size - this.fileHead.length) / this.page.length);
    // An interrupted `finish` may have written more behind the last whole page.
    const wholePages = Math.floor(this.shape.rows / this.pageRows);
    this.pagesWritten = Math.max(0, Math.min(pages, wholePages));
    await writeAll(this.file, this.fileHead, 0);
    await this.file.truncate(this.pageStart());
  }

  /** Rows appended, including those not yet on disk. */
  get rowsDone(): number {
    return this.pagesWritten * this.pageRows + this.rowsInPage;
  }

  /** Adds rows: `vectors` holds a whole number of them. */
  async append(vectors: Float32Array): Promise<void> {
    const bytes = Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength);
    for (let offset = 0; offset < bytes.length; ) {
      const at = this.head.length + this.rowsInPage * this.rowBytes;
      const copied = bytes.copy(this.page, at, offset);
      offset += copied;
      this.rowsInPage += copied / this.rowBytes;
      if (this.rowsInPage === this.pageRows) {
        await writeAll(this.file, this.page, this.pageStart());
        this.pagesWritten++;
        this.rowsInPage = 0;
      }
    }
  }

  /** Writes the last, shorter page and returns where the vectors end. Nothing may be appended after it. */
  async finish(): Promise<number> {
    const { layout, dimension } = this.shape;
    if (this.rowsInPage === 0) return this.pageStart();
    const head = layout === "npy" ? this.head : pageHead(this.rowsInPage, dimension);
    const rows = this.page.subarray(this.head.length, this.head.length + this.rowsInPage * this.rowBytes);
    await writeAll(this.file, Buffer.concat([head, rows]), this.pageStart());
    return this.pageStart() + head.length + rows.length;
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  private pageStart(): number {
    return this.fileHead.length + this.pagesWritten * this.page.length;
  }
}
