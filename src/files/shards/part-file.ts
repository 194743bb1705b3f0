/**
 * The file that a shard writes: what it found, then a manifest of what that belongs to, its length and a mark. With the
 * manifest last, content of any length is written as it is made.
 */
import { createReadStream } from "node:fs";
import { mkdtemp, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { messageOf, PearlError, ShardError } from "../../errors.js";
import { checksum, type FileSum, fileSum, pieceBytes } from "../checksums/checksum.js";
import { parseJson } from "../json.js";
import { NoSuchObject } from "../object-storage/client.js";
import { isObjectAddress } from "../place.js";
import { makeFolder, replaceFile, writeAll } from "../whole-file.js";
import type { Kept, KeptArray, KeptReader, Sharing } from "./shard.js";

const mark = "PEARLSHARD1\n";
const tailBytes = 4 + mark.length;

const kinds = {
  ...{ Uint8Array, Int8Array, Uint16Array, Uint32Array, Int32Array, Float32Array, Float64Array },
} as const;
type Kind = keyof typeof kinds;

const manifestSchema = v.object({
  version: v.literal(2),
  /** The package's version. */
  pearl: v.string(),
  /** As it is called, such as "corpus build". */
  command: v.string(),
  arguments: v.array(v.unknown()),
  /** Options that change the result or are for the merge. */
  settings: v.record(v.string(), v.unknown()),
  /** Files and folders that are read, with fingerprints of their content. */
  inputs: v.record(v.string(), v.string()),
  /** Fingerprint of the model, and the device that ran it. */
  model: v.optional(v.string()),
  shard: v.object({ index: v.number(), count: v.number() }),
  /** Arrays in the content, by name: kind, numbers, and where they begin. */
  kept: v.record(v.string(), v.tuple([v.picklist(Object.keys(kinds) as Kind[]), v.number(), v.number()])),
  /** Length and checksum of the content. */
  content: v.tuple([v.number(), v.string()]),
});

export type PartManifest = v.InferOutput<typeof manifestSchema>;

/** What a shard belongs to: known before its work is done. */
export type PartHead = Omit<PartManifest, "version" | "kept" | "content">;

/** Writes arrays as a part. @param path a file that may be overwritten */
export async function writePart(path: string, head: PartHead, kept: Kept): Promise<void> {
  await writeFile(path, "");
  await sealPart(path, head, await appendKept(path, kept, 0));
}

/** Writes arrays one after the other from a position in a file on. @returns their places */
export async function appendKept(path: string, kept: Kept, start: number): Promise<PartManifest["kept"]> {
  const places: PartManifest["kept"] = {};
  const file = await open(path, "r+");
  try {
    let offset = start;
    for (const [name, values] of Object.entries(kept)) {
      places[name] = [values.constructor.name as Kind, values.length, offset];
      await writeAll(file, bytesOf(values), offset);
      offset += values.byteLength;
    }
  } finally {
    await file.close();
  }
  return places;
}

/** Makes a file a part: its bytes so far are the content. */
export async function sealPart(path: string, head: PartHead, kept: PartManifest["kept"]): Promise<void> {
  const content: FileSum = await fileSum(path);
  const manifest = { version: 2, ...head, kept, content: [...content] };
  const text = JSON.stringify({ ...manifest, crc32: checksum(JSON.stringify(manifest)) });
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(Buffer.byteLength(text));
  const file = await open(path, "r+");
  try {
    await writeAll(file, Buffer.concat([Buffer.from(text), tail, Buffer.from(mark)]), content[0]);
  } finally {
    await file.close();
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: KeptArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * @param cure what makes a missing file
 * @throws ShardError where the file is no part, or its manifest is damaged; ObjectStorageError
 */
export async function readManifest(path: string, cure = "run its shard"): Promise<PartManifest> {
  try {
    const size = await sizeOf(path);
    const tail = await bytesAt(path, Math.max(0, size - tailBytes), Math.min(size, tailBytes));
    const length = tail.length < tailBytes ? 0 : tail.readUInt32LE();
    if (tail.toString("latin1", 4) !== mark || length > size - tailBytes)
      throw new ShardError(
        `${path} is no part that --shard wrote, or it is cut off. Leave it out; if it is a part, run its shard again.`,
      );
    const text = (await bytesAt(path, size - tailBytes - length, length)).toString();
    const trouble = { error: ShardError, cure: "Run its shard again." };
    const manifest = parseJson(text, `${path}, the manifest`, manifestSchema, trouble);
    if (manifest.content[0] !== size - tailBytes - length)
      throw damaged(path, manifest, "its length differs");
    return manifest;
  } catch (error) {
    if (error instanceof PearlError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "no such file" : `cannot be read (${messageOf(error)})`;
    throw new ShardError(`${path}: ${reason}. Check the name, or ${cure}.`, { cause: error });
  }
}

/** @throws ShardError where the content is not what was written */
export async function checkContent(path: string, manifest: PartManifest): Promise<void> {
  const [bytes, sum] = manifest.content;
  let found = checksum("");
  for await (const piece of piecesOf(path, 0, bytes)) found = checksum(piece, found);
  if (found !== sum) throw damaged(path, manifest, "its checksum differs");
}

function damaged(path: string, { shard: { index, count } }: PartManifest, difference: string): ShardError {
  const step = count > 0 ? `--shard ${index}/${count}` : `--learn ${path}`;
  return new ShardError(`${path} is damaged: ${difference}. Run the command with ${step} again.`);
}

/** @param names of arrays; default all */
export async function readKept(
  path: string,
  { kept }: PartManifest,
  names: readonly string[] = Object.keys(kept),
): Promise<Kept> {
  const arrays: Record<string, KeptArray> = {};
  for (const name of names) if (Object.hasOwn(kept, name)) arrays[name] = await readArray(path, kept[name]);
  return arrays;
}

/** Reads arrays of a part as they are asked for. */
export const partReader = (path: string, { kept }: PartManifest): KeptReader => ({
  lengthOf: (name) => kept[name]?.[1],
  read: <Numbers extends KeptArray>(name: string, from?: number, to?: number) =>
    readArray(path, kept[name], from, to) as Promise<Numbers>,
});

/** An array of a part, or its numbers `from` to `to`. */
export async function readArray(
  path: string,
  [kind, length, offset]: PartManifest["kept"][string],
  from = 0,
  to = length,
): Promise<KeptArray> {
  const values = new kinds[kind](Math.min(to, length) - from);
  await readInto(path, bytesOf(values), offset + from * values.BYTES_PER_ELEMENT);
  return values;
}

async function bytesAt(path: string, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  await readInto(path, bytes, position);
  return bytes;
}

async function readInto(path: string, bytes: Uint8Array, position: number): Promise<void> {
  let offset = 0;
  for await (const piece of piecesOf(path, position, position + bytes.length)) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  if (offset < bytes.length) throw new ShardError("the file became shorter while it was read");
}

async function sizeOf(path: string): Promise<number> {
  if (!isObjectAddress(path)) return (await stat(path)).size;
  return (await (await import("../object-storage/read.js")).objectState(path)).size;
}

/** The bytes of a file, or of an object in object storage, from one place to another, exclusive. */
async function* piecesOf(path: string, from: number, to: number): AsyncIterable<Uint8Array> {
  if (to <= from) return;
  if (isObjectAddress(path))
    yield* (await import("../object-storage/read.js")).readObject(path, { from, to });
  else yield* createReadStream(path, { start: from, end: to - 1, highWaterMark: pieceBytes });
}

/** A part that was checked. */
export interface Part {
  readonly path: string;
  readonly manifest: PartManifest;
}

/**
 * Reads and checks parts.
 * @returns them in the order of their shards
 * @throws ShardError for a part that is missing, doubled, damaged or of another run, and for the file of a first pass
 */
export async function openParts(paths: readonly string[]): Promise<Part[]> {
  const parts: Part[] = [];
  for (const path of paths) parts.push({ path, manifest: await readManifest(path) });
  for (const { path, manifest } of parts) {
    if (manifest.shard.count > 0) continue;
    throw new ShardError(
      `${path} is the first pass of --learn, not a part of a shard. Leave it out, and name the parts that pearl ${manifest.command} --shard I/N --learned ${path} writes.`,
    );
  }
  const [first, ...others] = parts;
  for (const part of others) {
    const difference = differenceBetween(part.manifest, first.manifest);
    if (difference === undefined) continue;
    throw new ShardError(
      `${part.path} and ${first.path} are parts of different runs: ${difference}. Leave out the foreign one, or run its shard again as the others.`,
    );
  }
  const { command, shard } = first.manifest;
  const ordered = Array.from({ length: shard.count }, (_, place) => {
    const [part, doubled] = parts.filter(({ manifest }) => manifest.shard.index === place + 1);
    const name = `${place + 1}/${shard.count}`;
    if (part === undefined)
      throw new ShardError(
        `the part of shard ${name} is missing. Name it too, or run pearl ${command} with --shard ${name}.`,
      );
    if (doubled !== undefined)
      throw new ShardError(`${part.path} and ${doubled.path} are both shard ${name}. Leave one of them out.`);
    return part;
  });
  for (const { path, manifest } of ordered) await checkContent(path, manifest);
  return ordered;
}

/** How two parts differ in what all parts of a run have in common. */
export function differenceBetween(part: PartHead, other: PartHead): string | undefined {
  const differing = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) =>
    [...new Set([...Object.keys(a), ...Object.keys(b)])].find((name) => !isDeepStrictEqual(a[name], b[name]));
  const setting = differing(part.settings, other.settings);
  const input = differing(part.inputs, other.inputs);
  const differences: readonly (readonly [boolean, string])[] = [
    [part.command !== other.command, `pearl ${part.command} and pearl ${other.command}`],
    [part.pearl !== other.pearl, `made by pearl ${part.pearl} and ${other.pearl}`],
    [part.shard.count !== other.shard.count, `of ${part.shard.count} and ${other.shard.count} shards`],
    [!isDeepStrictEqual(part.arguments, other.arguments), "their arguments differ"],
    [setting !== undefined, `the option ${setting} differs`],
    [input !== undefined, `the content of ${input} differs`],
    [part.model !== other.model, `another model or device (${part.model}, ${other.model})`],
  ];
  return differences.find(([differs]) => differs)?.[1];
}

/** How a merge takes what the shards kept. */
export const mergeOf = (parts: readonly Part[]): Sharing & { readonly kind: "merge" } => ({
  kind: "merge",
  count: parts.length,
  async *parts(names) {
    for (const { path, manifest } of parts) yield await readKept(path, manifest, names);
  },
});

/** A place of parts, each with a name. */
export interface PartPlace {
  /** What the part belongs to; undefined where it is not there, whole. */
  find(name: string): Promise<PartManifest | undefined>;
  /**
   * Lets `write` make the file of a part, which then appears under its name, whole: also where others write the same one,
   * and where this process is killed.
   */
  put(name: string, write: (path: string) => Promise<void>): Promise<void>;
  /** The file with the part, or its address. */
  get(name: string): string;
  /** Removes all parts, and what killed writers left. */
  remove(): Promise<void>;
}

/** @param folder seen by all workers under this name, made when the first part is written; or an address in object storage */
export function placeOfParts(folder: string): PartPlace {
  const isObject = isObjectAddress(folder);
  const get = (name: string): string => (isObject ? `${folder}/${name}` : join(folder, name));
  return {
    get,
    find: (name) => wholePart(get(name)),
    async put(name, write) {
      // An object appears when all of it has arrived.
      if (isObject) return replaceFile(get(name), write);
      await makeFolder(folder);
      const own = await mkdtemp(join(folder, "writing-"));
      try {
        await write(join(own, name));
        await rename(join(own, name), get(name));
      } finally {
        await rm(own, { recursive: true, force: true });
      }
    },
    async remove() {
      if (!isObject) return rm(folder, { recursive: true, force: true });
      const { listObjects } = await import("../object-storage/folder.js");
      const { removeObject } = await import("../object-storage/write.js");
      for (const { name } of await listObjects(folder)) await removeObject(get(name));
    },
  };
}

async function wholePart(path: string): Promise<PartManifest | undefined> {
  try {
    const manifest = await readManifest(path);
    await checkContent(path, manifest);
    return manifest;
  } catch (error) {
    if (error instanceof ShardError || error instanceof NoSuchObject) return undefined;
    throw error;
  }
}
