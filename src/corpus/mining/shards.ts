/** The folder of an unfinished mining run: what it belongs to, its vectors, and a file for each finished shard. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TableError } from "../../errors.js";

/** What a run is about; all must be equal for another to go on with it. */
export interface RunKey {
  /** Of the corpus: phrases and synonyms. */
  readonly corpus: string;
  /** Of the encoder. */
  readonly model: string;
  /** Every other setting that changes the result. */
  readonly settings: Readonly<Record<string, number>>;
}

/** Negatives of some phrases. */
export interface Shard {
  readonly counts: ShardCounts;
  /** Per phrase: its corpus row, how many negatives, then for each its row, and the ratio and the cosine as floats' bits. */
  readonly entries: Int32Array;
}

/** What a shard holds. */
export interface ShardCounts {
  /** Phrases that were searched for. */
  readonly phrases: number;
  /** Near phrases that were found. */
  readonly candidates: number;
  /** Phrases with as many near phrases as may be kept. */
  readonly full: number;
  readonly negatives: number;
  /** Phrases with a hard negative. */
  readonly withNegatives: number;
}

const countNames = ["phrases", "candidates", "full", "negatives", "withNegatives"] as const;
const shardName = (index: number): string => `${String(index).padStart(6, "0")}.shard`;

/** The folder of an unfinished run on `path`. */
export class RunFolder {
  private constructor(
    readonly folder: string,
    private readonly run: string,
    /** Finished shards of an earlier run. */
    readonly finished: ReadonlySet<number>,
    /** What a person should know: an earlier run was replaced, or there was none to go on with. */
    readonly note: string | undefined,
  ) {}

  /**
   * Opens the folder beside `path`: "continue" keeps what a run of the same key has finished.
   * @throws TableError where the earlier run was of another corpus, model or settings
   */
  static async open(path: string, key: RunKey, resume: "continue" | "start-over"): Promise<RunFolder> {
    const folder = `${path}.partial`;
    const earlier = await readKey(folder);
    const goesOn = resume === "continue" && earlier !== undefined;
    if (goesOn) refuseOther(folder, earlier, key);
    else await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const run = randomUUID();
    const temporary = join(folder, "manifest.json.new");
    await writeFile(temporary, `${JSON.stringify({ ...key, run }, null, 2)}\n`);
    await rename(temporary, join(folder, "manifest.json"));
    const names = new Set(await readdir(folder));
    const finished = new Set<number>();
    for (const name of names) if (/^\d+\.shard$/.test(name)) finished.add(Number.parseInt(name, 10));
    return new RunFolder(folder, run, finished, noteOn(folder, earlier !== undefined, resume));
  }

  shardPath(index: number): string {
    return join(this.folder, shardName(index));
  }

  get vectorsPath(): string {
    return join(this.folder, "vectors");
  }

  /** @throws TableError where another run has taken the folder over */
  async checkStillOurs(): Promise<void> {
    const manifest = await readKey(this.folder);
    if (manifest?.run === this.run) return;
    throw new TableError(`${this.folder}: another run has started on the same corpus. Let one finish first.`);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Writes a shard, whole or not at all. */
export async function writeShard(path: string, { counts, entries }: Shard): Promise<void> {
  const header = Int32Array.from(countNames, (name) => counts[name]);
  const temporary = `${path}.new`;
  await writeFile(temporary, Buffer.concat([bytesOf(header), bytesOf(entries)]));
  await rename(temporary, path);
}

/** Reads a shard. */
export async function readShard(path: string): Promise<Shard> {
  const bytes = await readFile(path);
  const numbers = new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const counts = Object.fromEntries(countNames.map((name, index) => [name, numbers[index]]));
  return { counts: counts as unknown as ShardCounts, entries: numbers.subarray(countNames.length) };
}

function bytesOf(numbers: Int32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

async function readKey(folder: string): Promise<(RunKey & { run: string }) | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as RunKey & { run: string };
  } catch {
    return undefined;
  }
}

function refuseOther(folder: string, earlier: RunKey, key: RunKey): void {
  const reason =
    earlier.corpus !== key.corpus
      ? "the corpus has changed since"
      : earlier.model !== key.model
        ? "the model was another"
        : JSON.stringify(earlier.settings) !== JSON.stringify(key.settings)
          ? "the settings were others"
          : undefined;
  if (reason === undefined) return;
  throw new TableError(
    `${folder}: the unfinished run cannot be resumed: ${reason}. Start over without --resume.`,
  );
}

function noteOn(folder: string, isThere: boolean, resume: string): string | undefined {
  if (resume === "continue") return isThere ? undefined : "nothing to resume: starting from the first phrase";
  return isThere
    ? `${folder} of an unfinished run was replaced (--resume would have gone on with it)`
    : undefined;
}
