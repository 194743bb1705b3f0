/** An S3 server in the test's process: s3rver, and before it a proxy that does what s3rver leaves out, and breaks on demand. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer, request as send } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { setEnvironment } from "../../setup/environment.js";

interface S3rver {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
  readonly httpServer: Server;
}
const S3rver = createRequire(import.meta.url)("s3rver") as new (options: object) => S3rver;

/** What becomes of a request: its answer is cut off in the middle, it is refused, or it never gets an answer. */
type Fault = "cut" | "silent" | keyof typeof refusals | undefined;

const refusals = {
  denied: [403, "AccessDenied"],
  expired: [400, "ExpiredToken"],
  changed: [412, "PreconditionFailed"],
} as const;

export interface ObjectServer {
  /** Its address and credentials, as the SDK reads them. */
  readonly environment: Readonly<Record<string, string>>;
  /** Method, path and query of all requests so far. */
  readonly requests: string[];
  /** Multipart uploads that were neither completed nor aborted. */
  readonly openUploads: ReadonlySet<string>;
  /** Default true. */
  heedsIfMatch: boolean;
  /** Called with each request, written as in `requests`. */
  fault: (request: string) => Fault;
  /** The content of an object; undefined where there is none. */
  content(key: string): Buffer | undefined;
}

/** The bucket that is there. */
export const bucket = "s3://bucket";

/** Starts a server that stops after the tests of the file, and sets its environment until then. */
export async function startObjectServer(): Promise<ObjectServer> {
  const folder = mkdtempSync(join(tmpdir(), "s3-"));
  const directory = join(folder, "data");
  const storage = new S3rver({
    ...{ port: 0, address: "127.0.0.1", silent: true, directory },
    configureBuckets: [{ name: "bucket" }],
  });
  const { port } = await storage.run();
  // Each file has its own cache, and no settings of the user.
  mkdirSync(join(folder, "home", ".aws"), { recursive: true });
  writeFileSync(join(folder, "home", ".aws", "config"), "");
  const keys = "aws_access_key_id=S3RVER\naws_secret_access_key=S3RVER\n";
  writeFileSync(join(folder, "home", ".aws", "credentials"), `[owner]\n${keys}`);
  const openUploads = new Set<string>();
  const claimed = new Set<string>();
  const stored = (path: string, suffix = ""): Buffer | undefined => {
    const file = join(directory, `${decodeURIComponent(path)}._S3rver_object${suffix}`);
    return existsSync(file) ? readFileSync(file) : undefined;
  };
  const server: ObjectServer = {
    environment: {},
    requests: [],
    openUploads,
    heedsIfMatch: true,
    fault: () => undefined,
    content: (key) => stored(`bucket/${key}`),
  };

  const proxy = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const line = `${method} ${url}`;
    server.requests.push(line);
    const fault = server.fault(line);
    const { pathname, searchParams } = new URL(url, "http://host");
    const upload = searchParams.get("uploadId") ?? "";
    const tag = server.heedsIfMatch && headers["if-match"] && stored(pathname.slice(1), ".md5");
    // Users with a session token are guests, or were here too long.
    const token = headers["x-amz-security-token"];
    const refused = token === "guest" ? "denied" : token === "old" ? "expired" : fault;
    if (refused === "denied" || refused === "expired" || refused === "changed") {
      const [status, code] = refusals[refused];
      return refuse(request, response, status, code);
    }
    // s3rver heeds neither of these two headers, waits for a byte of an empty object, and cannot abort an upload.
    if (headers.range && stored(pathname.slice(1))?.length === 0)
      return refuse(request, response, 416, "InvalidRange");
    const isWrite = method === "PUT" || method === "POST";
    if (isWrite && server.heedsIfMatch && headers["if-match"] && !tag)
      return refuse(request, response, 404, "NoSuchKey");
    if (headers["if-none-match"] === "*" && stored(pathname.slice(1)))
      return refuse(request, response, 412, "PreconditionFailed");
    if (tag && headers["if-match"] !== `"${tag}"`)
      return refuse(request, response, 412, "PreconditionFailed");
    if (headers["if-none-match"] || (isWrite && tag)) {
      if (claimed.has(pathname)) return refuse(request, response, 409, "ConditionalRequestConflict");
      claimed.add(pathname);
    }
    if (method === "DELETE" && upload !== "") {
      openUploads.delete(upload);
      return void response.writeHead(204).end();
    }
    if (fault === "silent") return void request.resume();
    const forwarded = send({ port, method, path: url, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        claimed.delete(pathname);
        const body = Buffer.concat(parts);
        const [, begun] = /<UploadId>([^<]+)/.exec(url.includes("?uploads") ? body.toString() : "") ?? [];
        if (begun !== undefined) openUploads.add(begun);
        if (method === "POST" && upload !== "" && answer.statusCode === 200) openUploads.delete(upload);
        response.writeHead(answer.statusCode!, answer.headers);
        if (fault !== "cut") return void response.end(body);
        response.write(body.subarray(0, body.length / 2), () => response.destroy());
      });
    });
    // A client that is killed, or the end of the tests, breaks it off.
    forwarded.on("error", () => response.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port: proxyPort } = proxy.address() as AddressInfo;
  const environment = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${proxyPort}`,
    AWS_ACCESS_KEY_ID: "S3RVER",
    AWS_SECRET_ACCESS_KEY: "S3RVER",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_CONFIG_FILE: join(folder, "home", ".aws", "config"),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, "home", ".aws", "credentials"),
    XDG_CACHE_HOME: join(folder, "cache"),
  };
  const restore = setEnvironment(environment);
  Object.assign(server, { environment });
  afterAll(async () => {
    restore();
    for (const open of [proxy, storage.httpServer]) open.closeAllConnections();
    proxy.close();
    await storage.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return server;
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, code: string): void {
  request.resume();
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} by the test</Message></Error>`,
  );
}
