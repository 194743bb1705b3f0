/** One request to the hub: redirects, what the headers announce of the file, and an end to silent connections. */
import { messageOf, PearlError } from "../errors.js";
import { fetchByProxy } from "../files/proxy.js";

export interface HubErrorFacts {
  /** HTTP status of the answer; absent where the server could not be reached, or the connection broke. */
  readonly status?: number;
  /** The hub's own code: RepoNotFound, EntryNotFound, RevisionNotFound, GatedRepo. */
  readonly code?: string;
  readonly retryAfterSeconds?: number;
  /** Whether another attempt may succeed: a busy server or a broken connection, not a missing file or host. */
  readonly isWorthRetrying?: boolean;
}

export class HubError extends Error {
  file?: string;

  constructor(
    message: string,
    readonly facts: HubErrorFacts = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A connection is given up after this long without data. */
const silenceMs = 30_000;
const maximumRedirects = 6;

export interface Answer {
  readonly response: Response;
  readonly announcement: ReturnType<typeof announcementOf>;
}

/** Sends the request and follows its redirects; the hub's own headers come with the first answers, not the last. */
export async function requestFile(
  request: { readonly url: string; readonly token?: string },
  offset: number,
  signal: AbortSignal,
): Promise<Answer> {
  const first = new URL(request.url);
  const hops: { url: URL; headers: Headers }[] = [];
  let url = first;
  for (;;) {
    const headers: Record<string, string> = { "accept-encoding": "identity", "user-agent": "pearl" };
    if (request.token && url.origin === first.origin) headers.authorization = `Bearer ${request.token}`;
    if (offset > 0) headers.range = `bytes=${offset}-`;
    const asked = fetchByProxy(url, { headers, redirect: "manual", signal });
    const response = await asked.catch((error: unknown) => {
      throw connectionError(error);
    });
    hops.push({ url, headers: response.headers });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location) {
      await response.body?.cancel();
      if (hops.length > maximumRedirects) throw new HubError("too many redirects");
      url = new URL(location, url);
      continue;
    }
    const isPastEnd = response.status === 416 && offset > 0;
    if (!response.ok && !isPastEnd) throw await statusError(response, hops);
    return { response, announcement: announcementOf(hops, response) };
  }
}

async function statusError({ status, body, headers }: Response, hops: readonly { headers: Headers }[]) {
  await body?.cancel();
  const code = firstHeader(hops, "x-error-code");
  const retryAfter = headers.get("retry-after") ?? "";
  const seconds = wholeNumberOf(retryAfter) ?? (Date.parse(retryAfter) - Date.now()) / 1000;
  const retryAfterSeconds = Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
  const isWorthRetrying = [408, 425, 429, 500, 502, 503, 504].includes(status);
  return new HubError(`HTTP status ${status}`, { status, code, retryAfterSeconds, isWorthRetrying });
}

/**
 * What the headers of the answer and of the redirects before it say about the file: `etag` is the blob's name, the
 * checksum where known; `size` is that of the whole file in bytes.
 */
function announcementOf(hops: readonly { url: URL; headers: Headers }[], response: Response) {
  // Only the hub's own host speaks for the file: a storage host's ETag is made by other rules.
  const own = hops.filter(({ url }) => url.origin === hops[0].url.origin);
  const named = firstHeader(own, "x-repo-commit");
  const commit = named && /^[0-9a-f]{40}$/.test(named) ? named : undefined;
  // A server without the hub's headers is a plain mirror: its ETag may mean anything.
  const etag = plainTag(firstHeader(own, "x-linked-etag")) ?? (commit && plainTag(firstHeader(own, "etag")));
  const contentRange = /\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
  const size =
    wholeNumberOf(firstHeader(own, "x-linked-size")) ??
    wholeNumberOf(contentRange?.[1]) ??
    (response.status === 200 ? bodyLength(response) : undefined);
  const isChecksum = etag !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(etag);
  const checksum = isChecksum
    ? ({ kind: etag.length === 64 ? "sha256" : "git", hex: etag } as const)
    : undefined;
  return { commit, etag, size, checksum };
}

function firstHeader(hops: readonly { headers: Headers }[], name: string): string | undefined {
  return hops.map(({ headers }) => headers.get(name)).find(Boolean) ?? undefined;
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

/** Turns what fetch throws into a HubError; errors of the disk stay as they are. */
export function connectionError(error: unknown): Error {
  if (error instanceof PearlError || error instanceof HubError) return error;
  if (!(error instanceof TypeError) && (error as NodeJS.ErrnoException).syscall) return error as Error;
  const cause = (error as Error).cause ?? error;
  const { code = "" } = cause as NodeJS.ErrnoException;
  const text = messageOf(cause) || code || messageOf(error);
  const isRefusal = /^Proxy (response|authentication)/i.test(text);
  const isPermanent =
    isRefusal || unreachableCodes.includes(code) || /CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code);
  return new HubError(text, { isWorthRetrying: !isPermanent }, { cause: error });
}

export function bodyLength({ headers }: Response): number | undefined {
  return headers.has("content-encoding") ? undefined : wholeNumberOf(headers.get("content-length"));
}

export type Watch = { readonly signal: AbortSignal; alive(): void; stop(): void };

/** Follows the caller's signal, and ends a request that receives no data: call `alive` when data arrives. */
export function watchFor(outer: AbortSignal | undefined): Watch {
  outer?.throwIfAborted();
  const silence = new AbortController();
  const error = new HubError(`no data for ${silenceMs / 1000} seconds`, { isWorthRetrying: true });
  const timer = setTimeout(() => silence.abort(error), silenceMs);
  const signal = outer === undefined ? silence.signal : AbortSignal.any([outer, silence.signal]);
  return { signal, alive: () => timer.refresh(), stop: () => clearTimeout(timer) };
}
