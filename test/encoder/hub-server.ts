/** A local server with the hub's download URLs: redirects, checksums and sizes in headers, ranges, errors. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One repository: its commit and its files. */
export interface Repository {
  readonly commit: string;
  readonly files: Record<string, Buffer | string>;
}

/** A request, as tests check it. */
export interface SeenRequest {
  readonly host: "hub" | "storage";
  readonly path: string;
  readonly range?: string;
  readonly authorization?: string;
}

/** Answers a request itself and returns true, or returns false to leave it to the server. */
export type Interception = (request: IncomingMessage, response: ServerResponse, body?: Buffer) => boolean;

/** The hub and the storage host that it redirects large files to. */
export interface HubServer {
  readonly endpoint: string;
  readonly requests: SeenRequest[];
  readonly repositories: Map<string, Repository>;
  /** Set to misbehave at the hub's own URLs. */
  interceptHub?: Interception;
  /** Set to misbehave at the storage host. */
  interceptStorage?: Interception;
  /** False leaves out every header that only the hub sends, as a plain mirror does. */
  sendsHubHeaders: boolean;
  close(): Promise<void>;
}

export function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}

export function gitChecksum(content: Buffer | string): string {
  const buffer = Buffer.from(content);
  return createHash("sha1").update(`blob ${buffer.length}\0`).update(buffer).digest("hex");
}

/** Starts both hosts on free ports of this machine. */
export async function startHubServer(repositories: Record<string, Repository>): Promise<HubServer> {
  const state = {
    requests: [] as SeenRequest[],
    repositories: new Map(Object.entries(repositories)),
    sendsHubHeaders: true,
  } as HubServer & { endpoint: string };
  const storage = await listen((request, response) => serveStorage(state, request, response));
  const storageAddress = addressOf(storage);
  const hub = await listen((request, response) => serveHub(state, storageAddress, request, response));
  state.endpoint = addressOf(hub);
  state.close = async () => {
    for (const server of [hub, storage]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };
  return state;
}

/** Sends `body`, or the part in the request's Range. */
export function sendBody(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? "");
  const start = range ? Number(range[1]) : 0;
  if (range && start >= body.length) {
    response.writeHead(416, { "content-range": `bytes */${body.length}` }).end();
    return;
  }
  const headers = { "content-length": body.length - start };
  if (range) {
    const contentRange = `bytes ${start}-${body.length - 1}/${body.length}`;
    response.writeHead(206, { ...headers, "content-range": contentRange });
  } else {
    response.writeHead(200, headers);
  }
  response.end(body.subarray(start));
}

/** Sends headers for the whole of `body` but cuts the connection after `bytes` of it. */
export function breakAfter(bytes: number, response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { "content-length": body.length });
  response.write(body.subarray(0, bytes), () => setTimeout(() => response.destroy(), 20));
}

async function listen(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function note(state: HubServer, host: SeenRequest["host"], request: IncomingMessage): void {
  const { range, authorization } = request.headers;
  state.requests.push({ host, path: request.url ?? "", range, authorization });
}

function serveHub(
  state: HubServer,
  storage: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  note(state, "hub", request);
  const path = decodeURIComponent((request.url ?? "").replace(/\?.*/, ""));
  const resolveCache = /^\/api\/resolve-cache\/models\/([^/]+\/[^/]+)\/[^/]+\/(.+)$/.exec(path);
  const resolve = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(path);
  const [, id, file] = resolveCache ?? [undefined, resolve?.[1], resolve?.[3]];
  const repository = state.repositories.get(id ?? "");
  const found = repository && file !== undefined ? repository.files[file] : undefined;
  const content = found === undefined ? undefined : Buffer.from(found);
  if (state.interceptHub?.(request, response, content)) return;
  if (!repository) {
    response.writeHead(404, state.sendsHubHeaders ? { "x-error-code": "RepoNotFound" } : {}).end();
  } else if (resolve && resolve[2] !== "main" && resolve[2] !== repository.commit && state.sendsHubHeaders) {
    response.writeHead(404, { "x-error-code": "RevisionNotFound" }).end();
  } else if (content === undefined) {
    response.writeHead(404, state.sendsHubHeaders ? { "x-error-code": "EntryNotFound" } : {}).end();
  } else if (!state.sendsHubHeaders) {
    sendBody(request, response, content);
  } else if (resolveCache) {
    response.setHeader("etag", `"${gitChecksum(content)}"`);
    response.setHeader("x-repo-commit", repository.commit);
    sendBody(request, response, content);
  } else {
    redirect(response, { id, file, content, storage, commit: repository.commit } as Redirection);
  }
}

interface Redirection {
  readonly id: string;
  readonly file: string;
  readonly content: Buffer;
  readonly commit: string;
  readonly storage: string;
}

/** Large files go to the storage host with their sha256, small ones to another path of the hub. */
function redirect(response: ServerResponse, { id, file, content, commit, storage }: Redirection): void {
  const headers: Record<string, string> = { "x-repo-commit": commit };
  if (/\.(onnx|safetensors)$/.test(file)) {
    headers["x-linked-size"] = String(content.length);
    headers["x-linked-etag"] = `"${sha256(content)}"`;
    headers.location = `${storage}/store/${id}/${file}?signature=abc`;
    response.writeHead(302, headers).end();
  } else {
    headers.location = `/api/resolve-cache/models/${id}/${commit}/${file}?etag=x`;
    response.writeHead(307, headers).end();
  }
}

function serveStorage(state: HubServer, request: IncomingMessage, response: ServerResponse): void {
  note(state, "storage", request);
  const match = /^\/store\/([^/]+\/[^/]+)\/(.+)\?/.exec(request.url ?? "");
  const content = state.repositories.get(match?.[1] ?? "")?.files[match?.[2] ?? ""];
  const body = content === undefined ? undefined : Buffer.from(content);
  // A storage host's ETag follows its own rules; this one looks like a checksum but is not.
  response.setHeader("etag", `"${"0".repeat(64)}"`);
  if (state.interceptStorage?.(request, response, body)) return;
  if (body) sendBody(request, response, body);
  else response.writeHead(404).end();
}
