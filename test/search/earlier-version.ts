/** Makes an index look as versions without checksums of places and graphs wrote it. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprint } from "../../src/files/fingerprint.js";

/** @param rowBytes bytes of a vector */
export function asEarlierVersion(path: string, rowBytes: number): void {
  const folder = join(path, "generation-1");
  const { journal: _, crc32, ...manifest } = JSON.parse(readFileSync(join(path, "index.json"), "utf8"));
  writeFileSync(join(path, "index.json"), JSON.stringify(manifest, null, 2));
  const [vectors, cells] = ["vectors", "cells"].map((name) => readFileSync(join(folder, name)));
  let before = { rows: 0, bytes: 0 };
  const lines = readFileSync(join(folder, "journal"), "utf8").trimEnd().split("\n");
  const earlier = lines.map((line) => {
    const { graph, sums, ...commit } = JSON.parse(line.slice(17));
    if (sums !== undefined) {
      const added = vectors.subarray(before.rows * rowBytes, commit.rows * rowBytes);
      commit.sums = [fingerprint(added), fingerprint(cells.subarray(before.bytes, commit.bytes))];
    }
    before = commit;
    const text = JSON.stringify(commit);
    return `${fingerprint(text)} ${text}\n`;
  });
  writeFileSync(join(folder, "journal"), earlier.join(""));
  rmSync(join(folder, "checked"), { force: true });
}
