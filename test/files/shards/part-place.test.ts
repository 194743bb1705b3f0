/** A place of parts shows whole parts only, whoever writes them and whenever they die. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findObject } from "../../../src/files/object-storage/read.js";
import { placeOfParts, writePart } from "../../../src/files/shards/part-file.js";
import { writeWholeFile } from "../../../src/files/whole-file.js";
import { newFolder } from "../../setup/new-folder.js";
import { bucket, startObjectServer } from "../object-storage/server.js";

const folder = newFolder();
const place = placeOfParts(join(folder, "parts"));
const write = (value: number) => (path: string) =>
  writePart(
    path,
    { pearl: "1", command: "join", shard: { index: 1, count: 1 }, arguments: [], settings: {}, inputs: {} },
    { values: Int32Array.of(value) },
  );

it("has a part once it is whole, and none that is damaged", async () => {
  expect(await place.find("1.part")).toBeUndefined();
  await place.put("1.part", async (path) => {
    await write(7)(path);
    expect(await place.find("1.part")).toBeUndefined();
  });
  expect(await place.find("1.part")).toMatchObject({ pearl: "1", command: "join" });
  const path = place.get("1.part");
  const bytes = readFileSync(path);
  for (const damaged of [
    bytes.subarray(0, -1),
    Buffer.concat([Buffer.of(bytes[0] ^ 1), bytes.subarray(1)]),
  ]) {
    writeFileSync(path, damaged);
    expect(await place.find("1.part")).toBeUndefined();
  }
  await place.put("1.part", write(8));
  expect(await place.find("1.part")).toMatchObject({ pearl: "1", command: "join" });
});

it("keeps nothing of a writer that fails, and takes the same part from two writers", async () => {
  const failing = place.put("2.part", async (path) => {
    writeFileSync(path, "half");
    throw new Error("killed");
  });
  await expect(failing).rejects.toThrow("killed");
  await Promise.all([place.put("2.part", write(9)), place.put("2.part", write(9))]);
  expect(await place.find("2.part")).toMatchObject({ pearl: "1", command: "join" });
  expect(readdirSync(join(folder, "parts")).sort()).toEqual(["1.part", "2.part"]);
  await place.remove();
  expect(readdirSync(folder)).toEqual([]);
});

describe("in object storage", async () => {
  const server = await startObjectServer();
  const inBucket = placeOfParts(`${bucket}/run.parts`);

  it("has a part once it is whole, and none that is damaged", async () => {
    expect(await inBucket.find("1.part")).toBeUndefined();
    await inBucket.put("1.part", async (path) => {
      await write(7)(path);
      expect(await inBucket.find("1.part")).toBeUndefined();
    });
    expect(await inBucket.find("1.part")).toMatchObject({ pearl: "1", command: "join" });
    expect(inBucket.get("1.part")).toBe(`${bucket}/run.parts/1.part`);
    const whole = server.content("run.parts/1.part")!;
    await writeWholeFile(inBucket.get("1.part"), whole.subarray(0, -1));
    expect(await inBucket.find("1.part")).toBeUndefined();
    await inBucket.put("1.part", write(7));
    expect(server.content("run.parts/1.part")?.equals(whole)).toBe(true);
  });

  it("keeps nothing of a writer that fails, and takes the same part from two writers", async () => {
    const failing = inBucket.put("2.part", async (path) => {
      writeFileSync(path, "half");
      throw new Error("killed");
    });
    await expect(failing).rejects.toThrow("killed");
    expect(await inBucket.find("2.part")).toBeUndefined();
    server.fault = (request) => (request.startsWith("PUT") ? "denied" : undefined);
    await expect(inBucket.put("2.part", write(9))).rejects.toThrow("2.part: ");
    server.fault = () => undefined;
    expect(await inBucket.find("2.part")).toBeUndefined();
    await Promise.all([inBucket.put("2.part", write(9)), inBucket.put("2.part", write(9))]);
    expect(await inBucket.find("2.part")).toMatchObject({ pearl: "1", command: "join" });
    await writeWholeFile(`${bucket}/run.parts-of-another/1.part`, "other");
    await inBucket.remove();
    expect(await inBucket.find("1.part")).toBeUndefined();
    expect(await findObject(`${bucket}/run.parts-of-another/1.part`)).toBeDefined();
  });
});
