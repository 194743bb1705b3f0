/** One file from the hub into its cache: retries, resumption, and a checked size and checksum before it is used. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ModelError, messageOf } from "../errors.js";
import { claimPartial, exists, releasePartial } from "./cache.js";
import {
  type Announcement,
  bodyLength,
  connectionError,
  HubConnectionError,
  HubStatusError,
  requestFile,
  throwIfAborted,
  type Watch,
  watchFor,
} from "./request.js";

/** What to fetch and how patiently. */
export interface TransferRequest {
  /** `https://huggingface.co/org/name/resolve/main/onnx/model.onnx` */
  readonly url: string;
  /** How messages name the file, e.g. `intfloat/e5-small-v2: onnx/model.onnx`. */
  readonly name: string;
  /** The repository's `blobs` folder. */
  readonly blobs: string;
  readonly token?: string;
  readonly signal?: AbortSignal;
  /** Tries in all, for broken connections and busy servers. */
  readonly attempts: number;
  /** Pause before the second try in milliseconds; doubles with each further one. */
  readonly retryDelayMs: number;
  /** Called with the bytes received and, where the server announces them, in all. */
  readonly onProgress?: (done: number, total: number | undefined) => void;
}

/** A file that is now in the cache. */
export interface TransferResult {
  /** Path within `blobs`. */
  readonly blob: string;
  /** The commit the server named, 40 hexadecimal digits. */
  readonly commit?: string;
}

const longestWaitSeconds = 20;
/** A download in progress, kept over the tries. */
interface Partial {
  readonly etag: string;
  readonly path: string;
  bytes: number;
}

/**
 * Downloads one file into `blobs`, unless a blob with the announced checksum exists.
 *
 * @throws HubStatusError, HubConnectionError after the last try; ModelError for a file that is not what was announced
 */
export async function transferFile(request: TransferRequest): Promise<TransferResult> {
  await mkdir(request.blobs, { recursive: true });
  const kept: { partial?: Partial } = {};
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await tryTransfer(request, kept);
      } catch (error) {
        throwIfAborted(request.signal);
        const wait = secondsToWait(error, attempt, request);
        if (wait === undefined) throw error;
        await pause(wait * 1000, request.signal);
      }
    }
  } finally {
    if (kept.partial) await releasePartial(request.blobs, kept.partial.etag, kept.partial.path);
  }
}

/** Seconds until the next try; undefined where another one is useless. */
function secondsToWait(error: unknown, attempt: number, request: TransferRequest): number | undefined {
  if (attempt >= request.attempts) return undefined;
  const backoff = (request.retryDelayMs / 1000) * 2 ** (attempt - 1);
  if (error instanceof HubConnectionError) return error.isWorthRetrying ? backoff : undefined;
  if (!(error instanceof HubStatusError)) return undefined;
  if (![408, 425, 429, 500, 502, 503, 504].includes(error.status)) return undefined;
  const asked = error.retryAfterSeconds;
  if (asked !== undefined && asked > longestWaitSeconds) return undefined;
  return asked ?? backoff;
}

async function tryTransfer(request: TransferRequest, kept: { partial?: Partial }): Promise<TransferResult> {
  const watch = watchFor(request.signal);
  try {
    let offset = kept.partial?.bytes ?? 0;
    let answer = await requestFile(request, offset, watch.signal);
    const { announcement } = answer;
    const etag = announcement.etag ?? `unnamed-${createHash("sha256").update(request.url).digest("hex")}`;
    const blob = join(request.blobs, etag);
    if (announcement.etag && (await exists(blob))) {
      await answer.response.body?.cancel();
      return { blob, commit: announcement.commit };
    }
    if (kept.partial && kept.partial.etag !== etag) {
      // The file changed between two tries: the part belongs to the old one.
      await rm(kept.partial.path, { force: true });
      kept.partial = undefined;
    }
    if (!kept.partial) {
      kept.partial = { etag, ...(await claimPartial(request.blobs, etag)) };
      // Without a checksum in the name, bytes of an earlier run may be of another version.
      if (!announcement.checksum && kept.partial.bytes > 0) await truncate(kept.partial);
    }
    if (kept.partial.bytes !== offset) {
      // An earlier process left a part: request only the rest (or all, where the part was dropped).
      await answer.response.body?.cancel();
      offset = kept.partial.bytes;
      answer = await requestFile(request, offset, watch.signal);
    }
    const size = await receive(answer, kept.partial, request, watch);
    await verify(kept.partial, { ...announcement, size: size ?? announcement.size }, request.name).catch(
      (error) => {
        // The part of an earlier try may be the wrong one: the next try starts from nothing.
        throw offset > 0 ? new HubConnectionError(messageOf(error), true) : error;
      },
    );
    const named = announcement.etag ? blob : join(request.blobs, await digest(kept.partial.path, "sha256"));
    await rename(kept.partial.path, named).catch(async (error: unknown) => {
      if (!(await exists(named))) throw error; // otherwise another process finished the same content first
    });
    kept.partial = undefined;
    return { blob: named, commit: announcement.commit };
  } finally {
    watch.stop();
  }
}

async function truncate(partial: Partial): Promise<void> {
  await rm(partial.path, { force: true });
  partial.bytes = 0;
}

/** Appends the response's body to the part; returns the whole file's size where the response announces it. */
async function receive(
  answer: { response: Response; announcement: Announcement },
  partial: Partial,
  request: TransferRequest,
  watch: Watch,
): Promise<number | undefined> {
  const { response, announcement } = answer;
  if (response.status === 416) {
    await response.body?.cancel();
    if (announcement.size === partial.bytes) return announcement.size;
    await truncate(partial);
    throw new HubConnectionError("the part of an earlier download is longer than the file", true);
  }
  if (partial.bytes > 0 && !continuesAt(response, partial.bytes)) await truncate(partial);
  const length = bodyLength(response);
  const total = announcement.size ?? (length === undefined ? undefined : partial.bytes + length);
  const file = await open(partial.path, partial.bytes > 0 ? "a" : "w");
  try {
    request.onProgress?.(partial.bytes, total);
    const body = response.body as unknown as AsyncIterable<Uint8Array> | null;
    for await (const chunk of body ?? []) {
      watch.alive();
      await file.appendFile(chunk);
      partial.bytes += chunk.byteLength;
      request.onProgress?.(partial.bytes, total);
    }
    await file.sync();
  } catch (error) {
    throw connectionError(error);
  } finally {
    await file.close();
  }
  const announced = length === undefined ? announcement.size : undefined;
  if (announced !== undefined && partial.bytes < announced) {
    throw new HubConnectionError(`the connection ended after ${partial.bytes} of ${announced} bytes`, true);
  }
  return total;
}

function continuesAt(response: Response, offset: number): boolean {
  const range = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "");
  return response.status === 206 && Number(range?.[1]) === offset;
}

/** Compares size and checksum with the announcement; a file that differs is removed. */
async function verify(partial: Partial, announcement: Announcement, name: string): Promise<void> {
  const { size, checksum } = announcement;
  const problems: string[] = [];
  const { size: actual } = await stat(partial.path);
  if (size !== undefined && actual !== size) problems.push(`expected ${size} bytes, got ${actual}`);
  if (checksum && problems.length === 0) {
    const kind = checksum.kind === "git" ? "git checksum" : "sha256";
    const found = await digest(partial.path, checksum.kind);
    if (found !== checksum.hex) problems.push(`expected ${kind} ${checksum.hex}, got ${found}`);
  }
  if (problems.length === 0) return;
  await truncate(partial);
  throw new ModelError(
    `${name}: the download is not the file that the server announced: ${problems.join("; ")}. It was removed. ` +
      "Try again; if it happens again, a proxy or mirror alters files: set HF_ENDPOINT to another one.",
  );
}

/** Checksum of a file in hexadecimal digits; `git` is the SHA-1 that git gives a blob. */
async function digest(path: string, kind: "sha256" | "git"): Promise<string> {
  const hash = createHash(kind === "git" ? "sha1" : "sha256");
  if (kind === "git") hash.update(`blob ${(await stat(path)).size}\0`);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest("hex");
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done, { once: true });
  });
  throwIfAborted(signal);
}
