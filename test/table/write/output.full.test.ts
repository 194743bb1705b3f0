/** Where a whole output of embeddings goes. */
import { execFileSync, spawn } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { keepTemporaryFilesIn } from "../../../src/files/object-storage/temporary-folder.js";
import { Table } from "../../../src/table/table.js";
import { EmbeddingWriter } from "../../../src/table/write/embedding-writer.js";
import { testFolder } from "../folder.js";

const { path: folder, file } = testFolder();

it.skipIf(process.platform === "win32").each([
  ["csv", "name,embedding\n"],
  ["parquet", "PAR1"],
  ["npy", "\x93NUMPY"],
] as const)("a pipe gets it as %s, stays, and has no folder beside it", async (format, start) => {
  const pipe = file(`pipe-${format}`);
  execFileSync("mkfifo", [pipe]);
  const reader = spawn("cat", [pipe]);
  let read = "";
  reader.stdout.setEncoding("latin1").on("data", (chunk) => {
    read += chunk;
  });
  const ended = new Promise((resolve) => reader.on("close", resolve));
  const table = await Table.open(file("in.csv", "name\na\nb\n"));
  keepTemporaryFilesIn(folder);
  const writer = await EmbeddingWriter.create(table, pipe, { dimension: 1, fingerprint: "x", format });
  keepTemporaryFilesIn(undefined);
  expect(readdirSync(folder).some((name) => name.startsWith("pearl-output-"))).toBe(true);
  await writer.append(Float32Array.of(1, 2));
  const { rows } = await writer.finish();
  await table.close();
  await ended;
  expect([rows, read.startsWith(start)]).toEqual([2, true]);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  const beside = readdirSync(folder).filter((name) => name.startsWith(`pipe-${format}`));
  expect(beside).toEqual(format === "npy" ? ["pipe-npy", "pipe-npy.keys.csv"] : [`pipe-${format}`]);
});
