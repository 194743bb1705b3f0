/** Locks of folders, also where a file cannot have two names. */
import * as real from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { acquireLock } from "../../src/files/lock.js";

let folder: string;
beforeEach(async () => {
  folder = await real.mkdtemp(join(tmpdir(), "pearl-lock-"));
  return () => real.rm(folder, { recursive: true });
});

describe("a lock", () => {
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

/** A lock as another process would have left it. */
const leave = (name: string, changes: object) =>
  real.writeFile(
    join(folder, name),
    JSON.stringify({ pid: process.pid, host: hostname(), started: null, token: "t", ...changes }),
  );

describe("without /proc, as on macOS", () => {
  beforeAll(() => {
    vi.resetModules();
    const readFile = async (path: string, options: BufferEncoding): Promise<string> => {
      if (path.startsWith("/proc/")) throw Object.assign(new Error("none"), { code: "ENOENT" });
      return real.readFile(path, options);
    };
    vi.doMock("node:fs/promises", () => ({ ...real, readFile }));
  });
  afterAll(() => {
    vi.doUnmock("node:fs/promises");
    vi.resetModules();
  });

  it("a lock is taken over where its number belongs to a later process, and not from a living holder", async () => {
    const { acquireLock } = await import("../../src/files/lock.js");
    await leave("lock", { started: "Mon Jan  1 00:00:00 2024" });
    await acquireLock(folder);
    await expect(acquireLock(folder)).rejects.toThrow("Wait until it has finished.");
  });

  it("a lock without a start is held, and the message says how to remove it", async () => {
    const { acquireLock } = await import("../../src/files/lock.js");
    await leave("lock", {});
    await expect(acquireLock(folder)).rejects.toThrow(`; if it has died, remove ${join(folder, "lock")}.`);
    // The machine has started since.
    await real.utimes(join(folder, "lock"), 1, 1);
    await acquireLock(folder);
  });
});

describe("where no more files can be opened", () => {
  beforeAll(() => {
    vi.resetModules();
    const refused = async (): Promise<never> => {
      throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
    };
    vi.doMock("node:fs/promises", () => ({ ...real, open: refused, writeFile: refused }));
  });
  afterAll(() => {
    vi.doUnmock("node:fs/promises");
    vi.resetModules();
  });

  it("the lock of another process stays", async () => {
    const { acquireLock } = await import("../../src/files/lock.js");
    await leave("lock", {});
    await expect(acquireLock(folder)).rejects.toThrow("too many open files");
    expect(await real.readdir(folder)).toEqual(["lock"]);
  });
});
