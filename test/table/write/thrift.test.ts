/** The Thrift reader and writer keep every field of the footers that DuckDB writes. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readStruct, varint, writeStruct } from "../../../src/table/write/thrift.js";
import { query, testFolder } from "../folder.js";

const { file } = testFolder();

it("gives back a Parquet footer byte for byte", async () => {
  const path = file("footer.parquet");
  await query(`COPY (SELECT i AS id, 'name ' || (i % 100) AS name, [i] AS list, {'a': i, 'b': 1.5} AS point, i % 2 = 0 AS even,
    TIMESTAMP '2020-01-01' + INTERVAL (i) SECOND AS at FROM range(20000) t(i)) TO '${path}'
    (FORMAT parquet, ROW_GROUP_SIZE 2048, KV_METADATA {key: 'value'})`);
  const bytes = readFileSync(path);
  const length = bytes.readUInt32LE(bytes.length - 8);
  const footer = bytes.subarray(bytes.length - 8 - length, bytes.length - 8);
  expect(writeStruct(readStruct(footer)).equals(footer)).toBe(true);
});

it("writes variable-length numbers as the protocol says", () => {
  expect([...varint(300)]).toEqual([0xac, 0x02]);
  expect([...varint(0)]).toEqual([0]);
  expect(varint(2n ** 63n).length).toBe(10);
});

it("refuses a footer that is cut", () => {
  expect(() => readStruct(Buffer.from([0x15]))).toThrow(/ends too early/);
});
