/** Parts are read back as they were written, and a set that is not exactly one run's is refused by name. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { ShardError } from "../../../src/errors.js";
import {
  mergeOf,
  openParts,
  type PartHead,
  readArray,
  readManifest,
  writePart,
} from "../../../src/files/shards/part-file.js";
import type { Kept } from "../../../src/files/shards/shard.js";
import { newFolder } from "../../setup/new-folder.js";

const head = (index: number, other: Partial<PartHead> = {}): PartHead => ({
  ...{ pearl: "1.0.0", command: "join", arguments: ["a.csv", "b.csv"], settings: { precision: 0.9 } },
  ...{ inputs: { "a.csv": "11", "b.csv": "22" }, model: "abc on cpu", shard: { index, count: 3 } },
  ...other,
});

const keptOf = (index: number): Kept => ({
  rows: Int32Array.of(index, -1, 2 ** 31 - 1),
  scores: Float32Array.of(Math.PI, -Infinity),
  bytes: Uint8Array.of(index),
  odds: Float64Array.of(0.1 + index, -0),
  levels: new Int8Array(0),
});

const folder = newFolder();
let paths: string[];
beforeEach(async () => {
  paths = [1, 2, 3].map((index) => join(folder, `${index}.part`));
  for (const [place, path] of paths.entries()) await writePart(path, head(place + 1), keptOf(place + 1));
});

describe("parts", () => {
  it("come back in the order of their shards, number by number", async () => {
    const parts = await openParts(paths.toReversed());
    expect(parts.map(({ path }) => path)).toEqual(paths);
    const found: Kept[] = [];
    for await (const kept of mergeOf(parts).parts()) found.push(kept);
    expect(found).toEqual([keptOf(1), keptOf(2), keptOf(3)]);
    const { kept } = parts[0].manifest;
    expect(await readArray(paths[0], kept.rows, 1, 2)).toEqual(Int32Array.of(-1));
  });

  it("replace what had their name", async () => {
    await writePart(paths[0], head(1), { rows: new Int32Array(1) });
    expect((await readManifest(paths[0])).content[0]).toBe(4);
  });
});

describe("a set of parts is refused", () => {
  const refused = async (message: RegExp): Promise<void> => {
    const opened = openParts(paths);
    await expect(opened).rejects.toThrow(ShardError);
    await expect(opened).rejects.toThrow(message);
  };

  it("where one is missing", async () => {
    paths.splice(1, 1);
    await refused(/the part of shard 2\/3 is missing.*pearl join with --shard 2\/3/);
  });

  it("where one is the first pass, alone or beside parts", async () => {
    await writePart(paths[2], head(0, { shard: { index: 0, count: 0 } }), keptOf(0));
    const message =
      /3\.part is the first pass of --learn.* pearl join --shard I\/N --learned .*3\.part writes/;
    await refused(message);
    paths = [paths[2]];
    await refused(message);
  });

  it("where one is doubled", async () => {
    await writePart(paths[2], head(2), keptOf(2));
    await refused(/3\.part and .*2\.part are both shard 2\/3|2\.part and .*3\.part are both shard 2\/3/);
  });

  it("where any byte of one is not what was written", async () => {
    const whole = await readFile(paths[1]);
    for (let at = 0; at < whole.length; at += 7) {
      const damaged = Buffer.from(whole);
      damaged[at] ^= 4;
      await writeFile(paths[1], damaged);
      await refused(/2\.part/);
    }
  });

  it("where one is cut off, grown, empty or no part", async () => {
    const whole = await readFile(paths[1]);
    const others = [
      whole.subarray(0, -1),
      whole.subarray(3),
      Buffer.concat([whole, whole]),
      Buffer.alloc(0),
      "id,name\n",
    ];
    for (const content of others) {
      await writeFile(paths[1], content);
      await refused(/2\.part/);
    }
    await rm(paths[1]);
    await refused(/2\.part: no such file/);
  });

  const foreign: readonly (readonly [Partial<PartHead>, RegExp])[] = [
    [{ command: "dedupe" }, /pearl dedupe and pearl join/],
    [{ pearl: "1.0.1" }, /made by pearl 1\.0\.1 and 1\.0\.0/],
    [{ shard: { index: 2, count: 4 } }, /of 4 and 3 shards/],
    [{ arguments: ["a.csv", "c.csv"] }, /their arguments differ/],
    [{ settings: { precision: 0.8 } }, /the option precision differs/],
    [{ settings: { precision: 0.9, on: ["name"] } }, /the option on differs/],
    [{ inputs: { "a.csv": "11", "b.csv": "33" } }, /the content of b\.csv differs/],
    [{ model: "abc on webgpu" }, /another model or device \(abc on webgpu, abc on cpu\)/],
  ];
  it.each(foreign)("where one is of another run: %j", async (other, message) => {
    await writePart(paths[1], head(2, other), keptOf(2));
    await refused(message);
    await refused(/2\.part and .*1\.part/);
  });
});
