/** `pearl encode` on large tables: memory on a million rows; kill -9, Ctrl-C and resume. */
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
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pearl } from "../cli/run-cli.js";

const ROWS = 1_000_000;
/** Enough for several writes of vectors. */
const SOME = 200_000;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pearl-large-"));
  await pipeline(rows(ROWS), createWriteStream(join(folder, "large.csv")));
  await pipeline(rows(SOME), createWriteStream(join(folder, "some.csv")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names of two to four invented words: so many different ones that few rows are equal. */
function* rows(count: number): Generator<string> {
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
  for (let id = 0; id < count; id += 1000) {
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

it("pearl encode on 1,000,000 rows stays under 1.5 GB and keeps every row in order", async () => {
  const probe = memoryProbe();
  const { code, stderr } = await pearl(["encode", "large.csv"], {
    cwd: folder,
    environment: probe.environment,
  });
  expect(code, stderr).toBe(0);
  console.log(`peak memory ${Math.round(probe.peak())} MB; ${stderr.trim().split("\n").at(-1)}`);
  expect(probe.peak()).toBeLessThan(1500);
  const file = await asyncBufferFromFile(join(folder, "large.embeddings.parquet"));
  expect(Number((await parquetMetadataAsync(file)).num_rows)).toBe(ROWS);
  for (const start of [0, 499_990, ROWS - 10]) {
    const found = await parquetReadObjects({ file, rowStart: start, rowEnd: start + 10, columns: ["id"] });
    expect(found.map(({ id }) => Number(id))).toEqual(Array.from({ length: 10 }, (_, i) => start + i));
  }
});

describe(`pearl encode on ${SOME} rows`, () => {
  const output = (): string => join(folder, "some.embeddings.parquet");
  const partial = (): string => `${output()}.partial`;
  const written = (): number => statSync(join(partial(), "vectors"), { throwIfNoEntry: false })?.size ?? 0;
  const encode = (...more: string[]) => pearl(["encode", "some.csv", ...more], { cwd: folder });

  /** Sends the signal once the run has written more vectors: at least one page whole. */
  function stopped(signal: NodeJS.Signals, environment: Record<string, string> = {}) {
    const before = written();
    return pearl(["encode", "some.csv", "--resume"], {
      cwd: folder,
      environment,
      onStart: (child) => {
        const watch = setInterval(() => {
          if (written() < before + 8_000_000) return;
          clearInterval(watch);
          child.kill(signal);
        }, 10);
        child.on("exit", () => clearInterval(watch));
      },
    });
  }

  it("killed again and again it leaves nothing under the final name, and --resume ends with the same bytes", async () => {
    expect((await encode()).code).toBe(0);
    const whole = await fileHash(output());
    rmSync(output());
    for (let kill = 0; kill < 3; kill++) {
      expect((await stopped("SIGKILL")).signal).toBe("SIGKILL");
      expect(existsSync(output())).toBe(false);
    }
    const { code, stderr } = await encode("--resume");
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/rows already encoded by an earlier run/);
    expect(await fileHash(output())).toBe(whole);
    expect(existsSync(partial())).toBe(false);
    rmSync(output());
  });

  it("Ctrl-C ends it with code 130, and it can be resumed", async () => {
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    const { code, stderr } = await stopped("SIGINT", { TMPDIR: temporary });
    expect(code).toBe(130);
    const lines = stderr.trimEnd().split("\n").slice(-2);
    expect(lines[0]).toMatch(
      /^stopped with \d+ of 200000 rows encoded; the same command with --resume continues$/,
    );
    expect(lines[1]).toBe("pearl: interrupted by SIGINT");
    expect(existsSync(output())).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
