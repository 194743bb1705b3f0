/**
 * Measures how fast `pearl sync` writes embeddings into PostgreSQL, beside INSERT statements of many rows by `pg`.
 *
 *   npm run build && node benchmarks/postgres.mjs [ADDRESS] [--rows 20000] [--dimension 600] [--json FILE]
 *
 * ADDRESS is a database without pgvector (default: DATABASE_URL, or PGHOST and the like), in which a schema is made and dropped. The
 * vectors are made beforehand, so the speed is that of reading, comparing and writing alone; `pearl-mini` adds a sync with
 * its encoder.
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { PhraseEncoder } from "../dist/index.js";
import { syncTable } from "../dist/stores/postgres/sync-table.js";
import { connectPostgres } from "../dist/table/postgres/connection.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: "string", default: "20000" },
    dimension: { type: "string", default: "600" },
    json: { type: "string" },
  },
});
const [address = "postgres://"] = positionals;
const rows = Number(values.rows);
const dimension = Number(values.dimension);
const schema = "pearl_speed";

/** Vectors of unit length that differ from row to row, at no cost. */
const made = Float32Array.from(
  { length: 4096 * dimension },
  (_, index) => Math.sin(index) / Math.sqrt(dimension / 2),
);
const instant = {
  dimension,
  model: { name: "made" },
  fingerprint: async () => "0000000000000000",
  encodeMatrix: async (phrases) => ({
    ...{ data: made.subarray(0, phrases.length * dimension), rows: phrases.length, dimension },
    ...{ empty: 0, truncated: 0 },
  }),
};

const connection = await connectPostgres(address);
const measured = [];
async function measure(name, work) {
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  measured.push({ name, seconds, rowsPerSecond: Math.round(rows / seconds) });
  console.log(
    `${name.padEnd(44)} ${seconds.toFixed(2)} s ${String(Math.round(rows / seconds)).padStart(8)} rows/s`,
  );
}

/** INSERT of many VALUES, 500 rows in a statement, in transactions of as many rows as a sync writes at a time. */
async function insertMany() {
  await connection.query(
    `CREATE TABLE ${schema}.inserted (key int PRIMARY KEY, text_hash bytea, embedding real[])`,
  );
  const hash = Buffer.alloc(32, 7);
  for (let from = 0; from < rows; from += 4096) {
    await connection.query("BEGIN");
    for (let first = from; first < Math.min(from + 4096, rows); first += 500) {
      const parameters = [];
      const places = [];
      for (let row = first; row < Math.min(first + 500, from + 4096, rows); row++) {
        const start = (row - from) * dimension;
        places.push(`($${parameters.length + 1}, $${parameters.length + 2}, $${parameters.length + 3})`);
        parameters.push(row, hash, Array.from(made.subarray(start, start + dimension)));
      }
      await connection.query(`INSERT INTO ${schema}.inserted VALUES ${places.join(", ")}`, parameters);
    }
    await connection.query("COMMIT");
  }
}

try {
  await connection.query(`CREATE SCHEMA ${schema}`);
  await connection.query(`CREATE TABLE ${schema}.names (id int PRIMARY KEY, name text)`);
  await connection.query(
    `INSERT INTO ${schema}.names SELECT i, 'Some Company ' || i * 7919 % ${rows} || ' Ltd.' FROM generate_series(1, ${rows}) i`,
  );
  const sync = (encoder) => syncTable(address, encoder, { table: `${schema}.names`, column: "name" });
  await measure("pearl sync, vectors made beforehand", () => sync(instant));
  await measure("pearl sync, nothing to do", () => sync(instant));
  await measure("pg: INSERT of 500 VALUES at a time", insertMany);
  const [ours, , theirs] = measured;
  const ratio = ours.rowsPerSecond / theirs.rowsPerSecond;
  console.log(`ratio to INSERT: ${ratio.toFixed(2)}`);
  const encoder = await PhraseEncoder.load("pearl-mini");
  await connection.query(`DROP TABLE ${schema}.names_embeddings`);
  await measure("pearl sync with pearl-mini", () => sync(encoder));
  await encoder.dispose();
  if (values.json !== undefined)
    await writeFile(values.json, `${JSON.stringify({ rows, dimension, ratio, measured }, null, 2)}\n`);
} finally {
  await connection.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await connection.close();
}
