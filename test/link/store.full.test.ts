/** Where a store's database puts what has no room in memory, who may open it, and what it says of failures. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { type Store, version, withStore } from "../../src/link/store.js";
import { workFolder } from "./linking.js";

/** A file that is not there yet when it is looked for, and is when it is opened. */
const late = vi.hoisted(() => ({ path: "" }));
vi.mock("../../src/files/whole-file.js", async (original) => {
  const whole = await original<typeof import("../../src/files/whole-file.js")>();
  return { ...whole, exists: async (path: string) => path !== late.path && (await whole.exists(path)) };
});

const { path } = workFolder("store");
const memory = { bytes: 1e9, folder: path("temporary") };
mkdirSync(memory.folder);

/** Fills a table of 40 MB in 20 MB of memory. @returns the folders that hold the rest */
async function overflow(store: Store): Promise<string[]> {
  await store.query("SET memory_limit = '20MB'");
  const lines = (function* () {
    for (let row = 0; row < 150_000; row++) yield [row, `${Math.sin(row)}`.repeat(14)];
  })();
  await store.makeTemporary("new_lines", "row INTEGER, text VARCHAR", lines);
  return readdirSync(memory.folder);
}

describe("a store within a limit of memory", () => {
  it("uses the limit's folder, and leaves nothing there", async () => {
    const [folder, ...more] = await withStore(path("store"), "any", overflow, memory);
    expect(more).toEqual([]);
    expect(folder).toMatch(/^pearl-store-[0-9a-f]{16}$/);
    expect(readdirSync(memory.folder)).toEqual([]);
    expect(readdirSync(path("."))).not.toContain("store.tmp");
  });

  it("takes over what a killed run left", async () => {
    const [folder] = await withStore(path("store"), "any", overflow, memory);
    mkdirSync(join(memory.folder, folder));
    writeFileSync(join(memory.folder, folder, "duckdb_temp_storage_DEFAULT-0.tmp"), "left");
    expect(await withStore(path("store"), "any", overflow, memory)).toEqual([folder]);
    expect(readdirSync(memory.folder)).toEqual([]);
  });
});

describe("a new store that two processes make at once", () => {
  const holding = `require("@duckdb/node-api").DuckDBInstance.create(process.argv[1]).then((held) => {
    console.log("held");
    setInterval(() => held, 1000);
  })`;

  it("is left to the one that was first", async () => {
    late.path = path("new");
    const holder = spawn(process.execPath, ["-e", holding, late.path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(holder.stdout, "data");
      await expect(withStore(late.path, "any", async () => {})).rejects.toThrow(
        `is in use by process ${holder.pid}. Wait until it has finished.`,
      );
      expect(existsSync(late.path)).toBe(true);
    } finally {
      holder.kill();
      await once(holder, "close");
    }
  });
});

describe("a store that is refused or fails", () => {
  it.skipIf(!existsSync("/proc/self/fd"))("is not held open", async () => {
    const other = path("other-format");
    await withStore(other, "any", (store) => store.transaction(() => store.append("meta", [[9, "{}"]])));
    await expect(withStore(other, "existing", async () => {})).rejects.toThrow("has format 9");
    const held = readdirSync("/proc/self/fd").map((number) => {
      try {
        return readlinkSync(`/proc/self/fd/${number}`);
      } catch {
        return "";
      }
    });
    expect(held).not.toContain(realpathSync(other));
  });

  it("is in use under every name of its file", async () => {
    await withStore(path("one"), "any", async (store) => {
      await store.transaction(() => store.append("meta", [[version, "{}"]]));
      symlinkSync(path("one"), path("same"));
      const again = withStore(path("same"), "existing", async () => {});
      await expect(again).rejects.toThrow("is in use by this process. Wait until it has finished.");
    });
  });

  it("writes nothing of what a transaction adds, also later", async () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const lines = function* () {
      for (let row = 0; row < 5000; row++) yield [1, row, row, 1];
      throw new Error("no more");
    };
    await withStore(path("stopped"), "any", (store) =>
      store.transaction(() => store.append("meta", [[version, "{}"]])),
    );
    const kept = await withStore(path("stopped"), "existing", async (store) => {
      const adding = store.transaction(() => store.append("judged", lines()));
      await expect(adding).rejects.toThrow("no more");
      for (let round = 0; round < 3; round++) {
        collect();
        await setTimeout(20);
      }
      return store.query("FROM judged");
    });
    expect(kept).toEqual([]);
  });
});

describe("a failure of the database", () => {
  const failing = (sql: string): Promise<string> =>
    withStore(path("failing"), "any", async (store) => {
      await store.query("SET memory_limit = '20MB'");
      await store.query("SET max_temp_directory_size = '0KB'");
      return String(await store.query(sql).catch(String));
    });

  it("for want of memory is not called damage", async () => {
    const large = "CREATE TEMP TABLE large AS SELECT repeat(md5(range::VARCHAR), 20) FROM range(100000)";
    expect(await failing(large)).toMatch(/failing: out of memory \(.*\)\. Make room for temporary files/);
  });

  it("of another kind is told as it is", async () => {
    expect(await failing("SELECT nothing")).toMatch(/failing: Binder Error: .*nothing/);
  });
});
