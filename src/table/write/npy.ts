/** The header of NumPy's .npy format. Source: numpy.lib.format, version 1.0. */

/** Room for any shape, and a multiple of 64 as NumPy aligns it. */
const npyHeaderBytes = 128;

/** The header of a little-endian float32 matrix in row order, shape (rows, dimension). */
export function npyHeader(rows: number, dimension: number): Buffer {
  const header = Buffer.alloc(npyHeaderBytes, 0x20);
  header.write("\x93NUMPY", 0, "latin1");
  header[6] = 1;
  header[7] = 0;
  header.writeUInt16LE(npyHeaderBytes - 10, 8);
  header.write(`{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${dimension}), }`, 10, "latin1");
  header[npyHeaderBytes - 1] = 0x0a;
  return header;
}
