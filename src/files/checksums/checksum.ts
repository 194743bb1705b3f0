/**
 * Checksums of files, which show damage by disks, copies and broken downloads. Files found whole are remembered by size, inode and time of change, so
 * that a large one is read once per change.
 */
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pieceBytes, readPieces } from "../disk.js";
import { checksum } from "./crc.js";

export { checksum, pieceBytes };

/** Reading a smaller file takes no longer than remembering it. */
const leastRemembered = 2 ** 20;
/** A file changed this recently may change again without another time of change: clocks of file systems are coarse. */
const clockMs = 50;

/** Length and checksum of a file. */
export type FileSum = readonly [bytes: number, crc32: string];

/** @param most bytes of the file from its start; default all */
export async function fileSum(path: string, most = Infinity): Promise<FileSum> {
  let bytes = 0;
  let sum = checksum("");
  for await (const piece of readPieces(path)) {
    const part = piece.subarray(0, most - bytes);
    sum = checksum(part, sum);
    bytes += part.length;
    if (bytes === most) break;
  }
  return [bytes, sum];
}

/**
 * How a file differs from what it was, in words; undefined where it is the same.
 * @param rest "may be longer" where more may have been added since
 * @throws the system's error
 */
export async function differenceFrom(
  [bytes, sum]: FileSum,
  path: string,
  rest: "none" | "may be longer" = "none",
): Promise<string | undefined> {
  const { size } = await stat(path);
  if (size < bytes || (size > bytes && rest === "none")) return `it has ${size} bytes instead of ${bytes}`;
  return (await fileSum(path, bytes))[1] === sum ? undefined : "its checksum differs";
}

/** What a file was like when it was checked, by name. */
type Stamps = Record<string, string>;

/**
 * Calls `check` for each file that `memory` does not know as it is now. What passes is remembered.
 * @param memory a file; where it cannot be written, nothing is remembered
 * @throws what `check` throws, and the system's error for a missing file
 */
export async function checkOnce(
  memory: string,
  files: readonly string[],
  check: (file: string) => Promise<void>,
): Promise<void> {
  const known = await readStamps(memory);
  const found: Stamps = {};
  for (const file of files) {
    const { stamp, isLarge, age } = await stampOf(file);
    if (known[basename(file)] !== stamp) await check(file);
    if (isLarge && age > clockMs) found[basename(file)] = stamp;
  }
  const all = { ...known, ...found };
  if (JSON.stringify(all) !== JSON.stringify(known)) await writeStamps(memory, all);
}

/** Remembers files that this process has checked and then written to itself. */
export async function rememberOwn(memory: string, files: readonly string[]): Promise<void> {
  const found: Stamps = {};
  for (const file of files) {
    const { stamp, isLarge, age } = await stampOf(file);
    if (!isLarge) continue;
    if (age <= clockMs) await sleep(clockMs - age);
    found[basename(file)] = stamp;
  }
  await writeStamps(memory, found);
}

async function stampOf(file: string): Promise<{ stamp: string; isLarge: boolean; age: number }> {
  const { size, ino, ctimeNs, ctimeMs } = await stat(file, { bigint: true });
  const age = Date.now() - Number(ctimeMs);
  return { stamp: `${size} ${ino} ${ctimeNs}`, isLarge: size >= leastRemembered, age };
}

async function readStamps(memory: string): Promise<Stamps> {
  try {
    return JSON.parse(await readFile(memory, "utf8")) as Stamps;
  } catch {
    return {}; // none yet, or a half-written one
  }
}

async function writeStamps(memory: string, stamps: Stamps): Promise<void> {
  if (Object.keys(stamps).length === 0) return;
  await mkdir(dirname(memory), { recursive: true }).catch(() => {});
  await writeFile(memory, JSON.stringify(stamps)).catch(() => {});
}
