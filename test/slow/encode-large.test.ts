/** `pearl encode` on a million rows: memory, kill -9 at any point, resume. */
import { createHash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pearl } from "../cli/run-cli.js";

const ROWS = 1_000_000;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pearl-large-"));
  await pipeline(rows(), createWriteStream(join(folder, "large.csv")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names of two to four invented words: so many different ones that few rows are equal. */
function* rows(): Generator<string> {
  const syllables = [
    "ka",
    "ro",
    "mi",
    "ten",
    "bur",
    "sol",
    "vay",
    "lin",
    "ost",
    "erd",
    "qua",
    "pel",
    "zür",
    "ña",
  ];
  let state = 11;
  const next = (limit: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const word = (): string =>
    Array.from({ length: 2 + next(3) }, () => syllables[next(syllables.length)]).join("");
  yield "id,name\n";
  for (let id = 0; id < ROWS; id += 1000) {
    let chunk = "";
    for (let i = id; i < id + 1000; i++) {
      chunk += `${i},${Array.from({ length: 2 + next(3) }, word).join(" ")}\n`;
    }
    yield chunk;
  }
}

async function fileHash(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Makes the command write its peak memory in MB to a file when it ends. */
function memoryProbe(): { environment: Record<string, string>; peak: () => number } {
  const path = join(folder, "memory.txt");
  const script = join(folder, "memory.cjs");
  writeFileSync(
    script,
    `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(path)},
       String(process.resourceUsage().maxRSS / 1024)));`,
  );
  return {
    environment: { NODE_OPTIONS: `--require ${script}` },
    peak: () => Number(readFileSync(path, "utf8")),
  };
}

describe("pearl encode on 1,000,000 rows", () => {
  const output = (): string => join(folder, "large.embeddings.parquet");
  let whole: string;

  it("stays under 1.5 GB and keeps every row in order", async () => {
    const probe = memoryProbe();
    const { code, stderr } = await pearl(["encode", "large.csv"], {
      cwd: folder,
      environment: probe.environment,
    });
    expect(code, stderr).toBe(0);
    console.log(`peak memory ${Math.round(probe.peak())} MB; ${stderr.trim().split("\n").at(-1)}`);
    expect(probe.peak()).toBeLessThan(1500);
    const file = await asyncBufferFromFile(output());
    expect(Number((await parquetMetadataAsync(file)).num_rows)).toBe(ROWS);
    for (const start of [0, 499_990, ROWS - 10]) {
      const found = await parquetReadObjects({ file, rowStart: start, rowEnd: start + 10, columns: ["id"] });
      expect(found.map(({ id }) => Number(id))).toEqual(Array.from({ length: 10 }, (_, i) => start + i));
    }
    whole = await fileHash(output());
    rmSync(output());
  });

  it("killed again and again it leaves nothing under the final name, and --resume ends with the same bytes", async () => {
    for (const delay of [1500, 4000, 6500]) {
      const killed = await pearl(["encode", "large.csv", "--resume"], {
        cwd: folder,
        onStart: (child) => setTimeout(() => child.kill("SIGKILL"), delay),
      });
      expect(killed.signal).toBe("SIGKILL");
      expect(existsSync(output())).toBe(false);
    }
    const { code, stderr } = await pearl(["encode", "large.csv", "--resume"], { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/rows already encoded by an earlier run/);
    expect(await fileHash(output())).toBe(whole);
    expect(existsSync(`${output()}.partial`)).toBe(false);
  });

  it("Ctrl-C ends it with code 130, and it can be resumed", async () => {
    rmSync(output(), { force: true });
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    const stopped = await pearl(["encode", "large.csv"], {
      cwd: folder,
      environment: { TMPDIR: temporary },
      onStart: (child) => setTimeout(() => child.kill("SIGINT"), 5000),
    });
    expect(stopped.code).toBe(130);
    const lines = stopped.stderr.trimEnd().split("\n").slice(-2);
    expect(lines[0]).toMatch(
      /^stopped with \d+ of 1000000 rows encoded; the same command with --resume continues$/,
    );
    expect(lines[1]).toBe("pearl: interrupted by SIGINT");
    expect(existsSync(output())).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
