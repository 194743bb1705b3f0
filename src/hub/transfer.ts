/** One file from the hub into its cache: retries, resumption, and a checked size and checksum before it is used. */
import { createHash } from "node:crypto";
import { mkdir, open, rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ModelError, messageOf } from "../errors.js";
import { fingerprint } from "../files/checksums/fingerprint.js";
import { readPieces } from "../files/disk.js";
import { acquireLock, type Lock } from "../files/lock.js";
import { exists, partialPath } from "../files/whole-file.js";
import type { Answer, Watch } from "./request.js";
import { bodyLength, connectionError, HubError, requestFile, watchFor } from "./request.js";

export interface TransferRequest {
  readonly url: string;
  /** How messages name the file, e.g. `intfloat/e5-small-v2: onnx/model.onnx`. */
  readonly name: string;
  readonly blobs: string;
  readonly token?: string;
  /** Bytes that such a file has at most. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** Attempts in all, for broken connections and busy servers. */
  readonly attempts: number;
  /** Pause before the second attempt; doubles with each further one. */
  readonly retryDelayMs: number;
  /** Called with the bytes received and, where the server announces them, in all. */
  readonly onProgress?: (done: number, total: number | undefined) => void;
}

/** A file that is now in `blobs`, and the commit that the server named. */
export interface TransferResult {
  readonly blob: string;
  readonly commit?: string;
}

const longestWaitSeconds = 20;

/** Downloads a file into `blobs`, unless it is there. @throws HubError after the last attempt; ModelError */
export async function transferFile(request: TransferRequest): Promise<TransferResult> {
  await mkdir(request.blobs, { recursive: true });
  const kept: { part?: Part } = {};
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await tryTransfer(request, kept);
      } catch (error) {
        request.signal?.throwIfAborted();
        const wait = secondsToWait(error, attempt, request);
        if (wait === undefined) throw error;
        await sleep(wait * 1000, undefined, { signal: request.signal }).catch(() => {});
        request.signal?.throwIfAborted();
      }
    }
  } finally {
    await kept.part?.release();
  }
}

/** Seconds until the next attempt; undefined where another one is useless. */
function secondsToWait(error: unknown, attempt: number, request: TransferRequest): number | undefined {
  if (!(error instanceof HubError && error.facts.isWorthRetrying)) return undefined;
  const { retryAfterSeconds = (request.retryDelayMs / 1000) * 2 ** (attempt - 1) } = error.facts;
  const isTooLong = error.facts.retryAfterSeconds !== undefined && retryAfterSeconds > longestWaitSeconds;
  return attempt >= request.attempts || isTooLong ? undefined : retryAfterSeconds;
}

async function tryTransfer(request: TransferRequest, kept: { part?: Part }): Promise<TransferResult> {
  const watch = watchFor(request.signal);
  try {
    const offset = kept.part?.bytes ?? 0;
    let answer = await requestFile(request, offset, watch.signal);
    const { commit, etag: named, checksum, size } = answer.announcement;
    if (size !== undefined && size > (request.limit ?? size)) {
      await answer.response.body?.cancel();
      throw tooLarge(request, `${size} bytes`);
    }
    const etag = named ?? `unnamed-${fingerprint(request.url)}`;
    const blob = join(request.blobs, etag);
    if (named && (await exists(blob))) {
      await answer.response.body?.cancel();
      return { blob, commit };
    }
    if (kept.part?.etag !== etag) {
      await kept.part?.release();
      kept.part = await claimPart(request.blobs, etag);
      // Without a checksum in the name, bytes of an earlier run may be of another version.
      if (!checksum) await empty(kept.part);
    }
    const { part } = kept;
    if (part.bytes !== offset) {
      // An earlier process left a part: only the rest is requested.
      await answer.response.body?.cancel();
      answer = await requestFile(request, part.bytes, watch.signal);
    }
    const isResumed = part.bytes > 0;
    const received = await receive(answer, part, request, watch);
    await verify(part, { checksum, size: received ?? size }, request.name).catch((error) => {
      // The part of an earlier attempt may be the wrong one: the next attempt starts from nothing.
      throw isResumed ? new HubError(messageOf(error), { isWorthRetrying: true }) : error;
    });
    await rename(part.path, blob).catch(async (error: unknown) => {
      if (!(await exists(blob))) throw error; // otherwise another process finished the same content first
    });
    part.bytes = 0;
    return { blob, commit };
  } finally {
    watch.stop();
  }
}

/** The first bytes of a file, kept for the next attempt or process. */
interface Part {
  readonly etag: string;
  readonly path: string;
  bytes: number;
  /** Leaves the bytes to the next download, or removes the file where there are none. */
  release(): Promise<void>;
}

/**
 * The file to download a blob into: in a folder with a lock, so that one process at a time writes to it and the
 * next one continues it; or, while another process holds the lock, a file of this download's own.
 */
async function claimPart(blobs: string, etag: string): Promise<Part> {
  const folder = join(blobs, `${etag}.pearl.incomplete`);
  const lock = await mkdir(folder, { recursive: true })
    .then(() => acquireLock(folder))
    .catch((): Lock | undefined => undefined);
  const path = lock ? join(folder, "part") : partialPath(join(blobs, etag));
  const bytes = (await stat(path).catch(() => undefined))?.size ?? 0;
  const release = async (): Promise<void> => {
    if (!lock || part.bytes === 0) await rm(path, { force: true });
    await lock?.release();
    await rmdir(folder).catch(() => {}); // it has a part, or another download is taking the lock
  };
  const part: Part = { etag, path, bytes, release };
  return part;
}

async function empty(part: Part): Promise<void> {
  await rm(part.path, { force: true });
  part.bytes = 0;
}

/** Appends the response's body to the part; returns the whole file's size where the response announces it. */
async function receive(
  { response, announcement }: Answer,
  part: Part,
  request: TransferRequest,
  watch: Watch,
): Promise<number | undefined> {
  if (response.status === 416) {
    await response.body?.cancel();
    if (announcement.size === part.bytes) return announcement.size;
    await empty(part);
    throw new HubError("the part of an earlier download is longer than the file", { isWorthRetrying: true });
  }
  if (part.bytes > 0 && !continuesAt(response, part.bytes)) await empty(part);
  const length = bodyLength(response);
  const total = announcement.size ?? (length === undefined ? undefined : part.bytes + length);
  const file = await open(part.path, part.bytes > 0 ? "a" : "w");
  try {
    request.onProgress?.(part.bytes, total);
    const body = response.body as unknown as AsyncIterable<Uint8Array> | null;
    for await (const chunk of body ?? []) {
      watch.alive();
      await file.appendFile(chunk);
      part.bytes += chunk.byteLength;
      if (part.bytes > (request.limit ?? part.bytes)) {
        await empty(part);
        throw tooLarge(request, "more");
      }
      request.onProgress?.(part.bytes, total);
    }
    await file.sync();
  } catch (error) {
    throw connectionError(error);
  } finally {
    await file.close();
  }
  const announced = length === undefined ? announcement.size : undefined;
  if (announced === undefined || part.bytes >= announced) return total;
  const message = `the connection ended after ${part.bytes} of ${announced} bytes`;
  throw new HubError(message, { isWorthRetrying: true });
}

const tooLarge = ({ name, limit = 0 }: TransferRequest, found: string): ModelError =>
  new ModelError(
    `${name}: the server sends ${found}, and a file of this kind has at most ${limit / 2 ** 20} MB. It was not ` +
      "downloaded. Check the id and HF_ENDPOINT, or take another model.",
  );

function continuesAt(response: Response, offset: number): boolean {
  const range = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "");
  return response.status === 206 && Number(range?.[1]) === offset;
}

/** Compares size and checksum with the announcement; a file that differs is removed. */
async function verify(
  part: Part,
  { size, checksum }: Pick<Answer["announcement"], "size" | "checksum">,
  name: string,
): Promise<void> {
  let problem: string | undefined;
  const { size: actual } = await stat(part.path);
  if (size !== undefined && actual !== size) problem = `expected ${size} bytes, got ${actual}`;
  else if (checksum) {
    const kind = checksum.kind === "git" ? "git checksum" : "sha256";
    const found = await fileDigest(part.path, checksum.kind);
    if (found !== checksum.hex) problem = `expected ${kind} ${checksum.hex}, got ${found}`;
  }
  if (problem === undefined) return;
  await empty(part);
  throw new ModelError(
    `${name}: the download is not the file that the server announced: ${problem}. It was removed. ` +
      "Try again; if it happens again, a proxy or mirror alters files: set HF_ENDPOINT to another one.",
  );
}

/** Checksum of a file in hexadecimal digits; `git` is the SHA-1 that git gives a blob. */
export async function fileDigest(path: string, kind: "sha256" | "git"): Promise<string> {
  const hash = createHash(kind === "git" ? "sha1" : "sha256");
  if (kind === "git") hash.update(`blob ${(await stat(path)).size}\0`);
  for await (const piece of readPieces(path)) hash.update(piece);
  return hash.digest("hex");
}
