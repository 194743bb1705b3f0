/** One request to the hub: redirects, what the headers announce of the file, and an end to silent connections. */
import { InterruptedError, messageOf, PearlError } from "../errors.js";

/** The server answered with an error status. */
export class HubStatusError extends Error {
  /** The requested file of the repository. */
  file?: string;

  constructor(
    readonly status: number,
    /** The hub's own code: RepoNotFound, EntryNotFound, RevisionNotFound, GatedRepo. */
    readonly code: string | undefined,
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(`HTTP status ${status}`);
  }
}

/** The server could not be reached, or the connection broke. */
export class HubConnectionError extends Error {
  /** The requested file of the repository. */
  file?: string;

  constructor(
    message: string,
    /** False where another try would fail the same way (no such host, refused, bad certificate). */
    readonly isWorthRetrying: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A connection is given up after this long without data. */
const silenceMs = 30_000;
const maximumRedirects = 6;

/** What the headers of the answer and of the redirects before it say about the file. */
export interface Announcement {
  readonly commit?: string;
  /** Name of the blob: the checksum where known. */
  readonly etag?: string;
  readonly checksum?: { readonly kind: "sha256" | "git"; readonly hex: string };
  /** Size of the whole file in bytes. */
  readonly size?: number;
}

/** Sends the request and follows its redirects; the hub's own headers come with the first answers, not the last. */
export async function requestFile(
  request: { readonly url: string; readonly token?: string },
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

/** Turns what fetch throws into a HubConnectionError; errors of the disk stay as they are. */
export function connectionError(error: unknown): Error {
  if (error instanceof PearlError || error instanceof HubConnectionError) return error;
  if (!(error instanceof TypeError) && (error as NodeJS.ErrnoException).syscall) return error as Error;
  const cause = (error as Error).cause ?? error;
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const permanent = unreachableCodes.includes(code) || /CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code);
  const text = messageOf(cause) || code || messageOf(error);
  return new HubConnectionError(text, !permanent, { cause: error });
}

export function bodyLength(response: Response): number | undefined {
  if (response.headers.has("content-encoding")) return undefined;
  return wholeNumberOf(response.headers.get("content-length"));
}

export interface Watch {
  readonly signal: AbortSignal;
  /** Call when data arrives: the timeout starts again. */
  alive(): void;
  stop(): void;
}

/** A signal that follows the caller's, and also ends a request that receives no data for a while. */
export function watchFor(outer: AbortSignal | undefined): Watch {
  throwIfAborted(outer);
  const controller = new AbortController();
  const follow = (): void => controller.abort(outer?.reason);
  outer?.addEventListener("abort", follow, { once: true });
  const giveUp = (): void =>
    controller.abort(new HubConnectionError(`no data for ${silenceMs / 1000} seconds`, true));
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
  throw new InterruptedError("the download was interrupted; the next one continues from what was received");
}
