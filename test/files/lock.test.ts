/** Locks of folders, also where a file cannot have two names. */
import * as real from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

let folder: string;
beforeEach(async () => {
  folder = await real.mkdtemp(join(tmpdir(), "pearl-lock-"));
  return () => real.rm(folder, { recursive: true });
});

describe.each(["", "EPERM", "ENOTSUP", "ENOSYS"])('a disk whose links fail with "%s"', (code) => {
  let acquireLock: typeof import("../../src/files/lock.js")["acquireLock"];
  beforeAll(async () => {
    const link = async (): Promise<void> => {
      throw Object.assign(new Error("no links"), { code });
    };
    vi.resetModules();
    vi.doMock("node:fs/promises", () => (code === "" ? real : { ...real, link }));
    ({ acquireLock } = await import("../../src/files/lock.js"));
  });
  afterAll(() => {
    vi.doUnmock("node:fs/promises");
    vi.resetModules();
  });

  it("has one holder of a lock at a time", async () => {
    const lock = await acquireLock(folder);
    await expect(acquireLock(folder)).rejects.toThrow(`${folder} is locked: process ${process.pid}`);
    await lock.release();
    await (await acquireLock(folder)).release();
    expect(await real.readdir(folder)).toEqual([]);
  });

  it("takes a damaged lock over, but not one that may just be written", async () => {
    const path = join(folder, "lock");
    await real.writeFile(path, '{"pid":');
    await expect(acquireLock(folder)).rejects.toThrow("is locked by several processes in turn");
    const earlier = Date.now() / 1000 - 6;
    await real.utimes(path, earlier, earlier);
    await (await acquireLock(folder)).release();
    expect(await real.readdir(folder)).toEqual([]);
  });
});
