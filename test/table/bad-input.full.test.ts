/** The slow tests beside bad-input.test.ts. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { openSource } from "../../src/table/read/source.js";
import { Table, type TableOptions } from "../../src/table/table.js";
import { refusalOf, testFolder } from "./folder.js";

const { file } = testFolder();

const csv = (content: string | Uint8Array, options: TableOptions = {}) =>
  refusalOf(file("phrases.csv", content), options);

describe("a malformed row is reported with its line", () => {
  it("refuses a row of 17 MB, and reads one cell of 15", async () => {
    expect(await csv(`id,name\n1,${"x".repeat(17 << 20)}\n`)).toMatch(
      /line 2: a row longer than 16 MB begins here/,
    );
    const table = await Table.open(file("phrases.csv", `id,name\n1,${"x".repeat(15 << 20)}\n`));
    for await (const [phrase] of table.phrases()) expect(phrase.length).toBe(15 << 20);
    await table.close();
  });
  it("stops an unclosed quote at 16 MB rather than read the rest of a large file", async () => {
    const content = `id,name\n1,"x\n${"2,yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\n".repeat(600_000)}`;
    expect(await csv(content)).toMatch(
      /line 2: a row longer than 16 MB begins here\. A quote may be unclosed/,
    );
  });
});

describe("bytes that are not text", () => {
  it("accepts a UTF-8 sequence that two reads share, and refuses one that the file's end cuts", async () => {
    const whole = `name\n${"é".repeat(1 << 20)}\nx\n`;
    const table = await Table.open(file("long.csv", whole));
    expect(table.description.rowCount).toBe(2);
    await table.close();
    expect(await csv(Buffer.from("id,name\n1,é").subarray(0, -1))).toMatch(
      /line 2: bytes that are not UTF-8/,
    );
  });
  it.each([
    ["stops to come", new Error("the connection was lost")],
    ["is not wanted any more", new DOMException("enough", "AbortError")],
  ])("says of gzip data that %s what went wrong with it", async (_, reason) => {
    const packed = file("far.csv.gz", gzipSync(`name\n${randomBytes(3 << 20).toString("hex")}\n`));
    const source = await openSource(packed, undefined, (bytes) => {
      if (bytes > 2 << 20) throw reason;
    });
    await expect(text(source.chunks)).rejects.toBe(reason);
  });
});

it.skipIf(!existsSync("/proc/self/fd"))(
  "closes a refused table, packed or not (skipped without /proc)",
  async () => {
    const binary = Buffer.alloc(1 << 20, 7);
    const refused = [
      file("open.csv", binary),
      file("open.csv.gz", gzipSync(randomBytes(1 << 20))),
      file("twice.csv", `id,id\n${"x,y\n".repeat(1 << 18)}`),
      file("open", Buffer.concat([Buffer.from("PAR1"), binary])),
    ];
    for (const path of refused) await refusalOf(path);
    const opened = () =>
      readdirSync("/proc/self/fd").filter((number) => {
        try {
          return refused.includes(readlinkSync(`/proc/self/fd/${number}`));
        } catch {
          return false;
        }
      });
    await vi.waitFor(() => expect(opened()).toEqual([]));
  },
);
