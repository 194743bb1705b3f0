/**
 * Serves the playground from an installed package or a clone: node examples/playground/serve.mjs [PORT]. Any web server
 * that sends these headers can do the same: docs/web.md.
 */
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** What the page needs, and nothing else of the folder. */
const served = ["dist/playground/", "dist/web/", "models/"];

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

const headers = {
  // nothing is loaded from, or sent to, another server: neither by the page nor by its workers
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; " +
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // pages with these two may share memory among threads
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "X-Content-Type-Options": "nosniff",
};

/** The playground. */
export const playgroundServer = () =>
  folderServer(root, (name) => served.some((folder) => name.startsWith(folder)), served[0]);

/**
 * Serves files of a folder with the headers above.
 * @param {string} folder
 * @param {(name: string) => boolean} isServed
 * @param {string} home the folder of the page at /
 * @returns {import("node:http").Server}
 */
export function folderServer(folder, isServed = () => true, home = "") {
  /** Undefined where there is no such file. Throws for an address that no file can have. */
  const fileAt = (/** @type {string} */ pathname) => {
    const name = normalize(`/${decodeURIComponent(pathname)}`)
      .split(sep)
      .join("/")
      .slice(1);
    const file = join(folder, name.replace(/(^|\/)$/, "$1index.html"));
    const entry = isServed(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    return entry?.isFile() ? { file, entry } : undefined;
  };
  return createServer((request, response) => {
    const [pathname] = (request.url ?? "/").split(/[?#]/);
    if (pathname === "/" && home !== "") {
      response.writeHead(302, { Location: `/${home}` }).end();
      return;
    }
    let found;
    try {
      found = fileAt(pathname);
    } catch {}
    if (found === undefined) {
      response.writeHead(404, headers).end("not found");
      return;
    }
    const { file, entry } = found;
    const etag = `"${entry.size}-${entry.mtimeMs}"`;
    const cached = { ...headers, ETag: etag, "Cache-Control": "no-cache" };
    if (request.headers["if-none-match"] === etag) {
      response.writeHead(304, cached).end();
      return;
    }
    const type = types[/** @type {keyof types} */ (extname(file))] ?? "application/octet-stream";
    response.writeHead(200, { ...cached, "Content-Type": type, "Content-Length": entry.size });
    createReadStream(file).pipe(response);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.argv[2] ?? 8080);
  playgroundServer().listen(port, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${port}/ serves the playground. Ctrl-C ends it.`);
  });
}
