/** One file from the hub into its cache: redirects, retries, resumption, and checksums before it counts as here. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { InterruptedError, ModelError, messageOf, PearlError } from "../errors.js";
import { claimPartial, exists, releasePartial } from "./hub-cache.js";

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
  /** Bytes of this file that are here, and how many there will be where the server says so. */
  readonly onProgress?: (done: number, total: number | undefined) => void;
}

/** A file that is in the cache now. */
export interface TransferResult {
  /** Path within `blobs`. */
  readonly blob: string;
  /** The commit the server named, 40 hexadecimal digits. */
  readonly commit?: string;
}

/** The server answered, and the answer is not the file. */
export class HubStatusError extends Error {
  /** The file of the repository that was asked for. */
  file?: string;

  constructor(
    readonly status: number,
    /** The hub's own word for it: RepoNotFound, EntryNotFound, RevisionNotFound, GatedRepo. */
    readonly code: string | undefined,
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(`HTTP status ${status}`);
  }
}

/** The server could not be reached at all, or not to the end of the file. */
export class HubConnectionError extends Error {
  /** The file of the repository that was asked for. */
  file?: string;

  constructor(
    message: string,
    /** False where another try would meet the same wall (no such host, refused, bad certificate). */
    readonly isWorthRetrying: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A server that says nothing for this long is given up. */
const silenceMs = 30_000;
const longestWaitSeconds = 20;
const maximumRedirects = 6;

/** What the headers of the answer and of the redirects before it say about the file. */
interface Announcement {
  readonly commit?: string;
  /** Name of the blob: the checksum where known. */
  readonly etag?: string;
  readonly checksum?: { readonly kind: "sha256" | "git"; readonly hex: string };
  /** Size of the whole file in bytes. */
  readonly size?: number;
}

/** A download in progress, kept over the tries. */
interface Partial {
  readonly etag: string;
  readonly path: string;
  bytes: number;
}

/**
 * Downloads one file into `blobs`, unless a blob of the announced checksum is there already.
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

/** Seconds until the next try, or undefined where another one is of no use. */
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
      // The file changed between two tries: what is here belongs to the old one.
      await rm(kept.partial.path, { force: true });
      kept.partial = undefined;
    }
    if (!kept.partial) {
      kept.partial = { etag, ...(await claimPartial(request.blobs, etag)) };
      // Without a checksum in the name, bytes of an earlier run may be of another version.
      if (!announcement.checksum && kept.partial.bytes > 0) await truncate(kept.partial);
    }
    if (kept.partial.bytes !== offset) {
      // An earlier process left a part: ask again for the rest only (or for all, where the part was dropped).
      await answer.response.body?.cancel();
      offset = kept.partial.bytes;
      answer = await requestFile(request, offset, watch.signal);
    }
    const size = await receive(answer, kept.partial, request, watch);
    await verify(kept.partial, { ...announcement, size: size ?? announcement.size }, request.name).catch(
      (error) => {
        // A part of an earlier try may be what does not fit: the next try starts from nothing.
        throw offset > 0 ? new HubConnectionError(messageOf(error), true) : error;
      },
    );
    const named = announcement.etag ? blob : join(request.blobs, await digest(kept.partial.path, "sha256"));
    await rename(kept.partial.path, named).catch(async (error: unknown) => {
      if (!(await exists(named))) throw error; // else another process was quicker with the same content
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

/** Writes the answer's body behind what is there; returns the whole file's size where the answer tells it. */
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
    throw new HubConnectionError("the part that was here is longer than the file", true);
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

function bodyLength(response: Response): number | undefined {
  if (response.headers.has("content-encoding")) return undefined;
  return wholeNumberOf(response.headers.get("content-length"));
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

/** Sends the request and follows its redirects; the hub's own headers come with the first answers, not the last. */
async function requestFile(
  request: TransferRequest,
  offset: number,
  signal: AbortSignal,
): Promise<{ response: Response; announcement: Announcement }> {
  const first = new URL(request.url);
  const hops: { url: URL; headers: Headers }[] = [];
  let url = first;
  for (;;) {
    const headers: Record<string, string> = { "accept-encoding": "identity", "user-agent": "pearl" };
    if (request.token && url.origin === first.origin) headers.authorization = `Bearer ${request.token}`;
    if (offset > 0) headers.range = `bytes=${offset}-`;
    const response = await fetch(url, { headers, redirect: "manual", signal }).catch((error: unknown) => {
      throw connectionError(error);
    });
    hops.push({ url, headers: response.headers });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location) {
      await response.body?.cancel();
      if (hops.length > maximumRedirects) throw new HubConnectionError("too many redirects", false);
      url = new URL(location, url);
      continue;
    }
    const resumable = response.status === 416 && offset > 0;
    if (!response.ok && !resumable) throw await statusError(response, hops);
    return { response, announcement: announcementOf(hops, response) };
  }
}

async function statusError(
  response: Response,
  hops: readonly { headers: Headers }[],
): Promise<HubStatusError> {
  await response.body?.cancel();
  const code = hops.map(({ headers }) => headers.get("x-error-code")).find(Boolean) ?? undefined;
  const retryAfter = response.headers.get("retry-after");
  const seconds = wholeNumberOf(retryAfter) ?? (Date.parse(retryAfter ?? "") - Date.now()) / 1000;
  return new HubStatusError(
    response.status,
    code,
    Number.isFinite(seconds) ? Math.max(0, seconds) : undefined,
  );
}

function announcementOf(hops: readonly { url: URL; headers: Headers }[], response: Response): Announcement {
  // Only the hub's own host speaks for the file: a storage host's ETag is made by other rules.
  const own = hops.filter(({ url }) => url.origin === hops[0].url.origin);
  const find = (name: string): string | undefined =>
    own.map(({ headers }) => headers.get(name)).find(Boolean) ?? undefined;
  const named = find("x-repo-commit");
  const commit = named && /^[0-9a-f]{40}$/.test(named) ? named : undefined;
  const linked = plainTag(find("x-linked-etag"));
  // A server without the hub's headers is a plain mirror, whose ETag may mean anything.
  const etag = linked ?? (commit ? plainTag(find("etag")) : undefined);
  const contentRange = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
  const size =
    wholeNumberOf(find("x-linked-size")) ??
    wholeNumberOf(contentRange?.[1]) ??
    (response.status === 200 ? bodyLength(response) : undefined);
  return { commit, etag, size, checksum: checksumOf(etag) };
}

function checksumOf(etag: string | undefined): Announcement["checksum"] {
  if (etag && /^[0-9a-f]{64}$/.test(etag)) return { kind: "sha256", hex: etag };
  if (etag && /^[0-9a-f]{40}$/.test(etag)) return { kind: "git", hex: etag };
  return undefined;
}

/** An ETag without quotes and weakness mark; undefined where it could not be a file's name. */
function plainTag(header: string | undefined): string | undefined {
  const tag = header?.replace(/^W\//, "").replaceAll('"', "");
  return tag && /^[\w-]{1,128}$/.test(tag) ? tag : undefined;
}

function wholeNumberOf(text: string | null | undefined): number | undefined {
  return text && /^\d+$/.test(text) ? Number(text) : undefined;
}

const unreachableCodes = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"];

/** Makes a HubConnectionError of what fetch throws; trouble with the disk stays what it is. */
function connectionError(error: unknown): Error {
  if (error instanceof PearlError || error instanceof HubConnectionError) return error;
  if (!(error instanceof TypeError) && (error as NodeJS.ErrnoException).syscall) return error as Error;
  const cause = (error as Error).cause ?? error;
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const permanent = unreachableCodes.includes(code) || /CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code);
  const text = messageOf(cause) || code || messageOf(error);
  return new HubConnectionError(text, !permanent, { cause: error });
}

interface Watch {
  readonly signal: AbortSignal;
  /** Bytes came: the silence starts anew. */
  alive(): void;
  stop(): void;
}

/** A signal that follows the caller's and also ends a request on which nothing has come for a while. */
function watchFor(outer: AbortSignal | undefined): Watch {
  throwIfAborted(outer);
  const controller = new AbortController();
  const follow = (): void => controller.abort(outer?.reason);
  outer?.addEventListener("abort", follow, { once: true });
  const giveUp = (): void =>
    controller.abort(new HubConnectionError(`nothing came for ${silenceMs / 1000} seconds`, true));
  let timer = setTimeout(giveUp, silenceMs);
  return {
    signal: controller.signal,
    alive: () => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, silenceMs);
    },
    stop: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", follow);
    },
  };
}

/** Throws an InterruptedError once the signal is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  if (signal.reason instanceof PearlError) throw signal.reason;
  throw new InterruptedError("the download was interrupted; what is here is kept, and continued next time");
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
