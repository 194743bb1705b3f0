/** Pages in Chromium that use pearl's bundle, beside the same calls in Node. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type * as Web from "../../../src/web/index.js";

const script = new URL("../../../examples/playground/serve.mjs", import.meta.url).href;
export const { folderServer, playgroundServer } = (await import(script)) as {
  playgroundServer: () => Server;
  folderServer: (folder: string) => Server;
};

export interface Site {
  readonly address: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  readonly server: Server;
}

/** The playground's server. @param memory "copied": without the headers by which a page may share memory among threads */
export async function startSite(memory: "shared" | "copied" = "shared"): Promise<Site> {
  const server = playgroundServer();
  const asked: string[] = [];
  server.prependListener("request", (request, response) => {
    asked.push(request.url ?? "");
    if (memory === "shared") return;
    const write = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: Record<string, string> = {}) => {
      const { "Cross-Origin-Opener-Policy": _, "Cross-Origin-Embedder-Policy": __, ...others } = headers;
      return write(status, others);
    }) as typeof response.writeHead;
  });
  return { ...(await listening(server)), asked };
}

/** Starts a server on a port of its own. */
export async function listening(server: Server): Promise<Pick<Site, "address" | "server">> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** An empty page of the site. */
export async function emptyPage(
  browser: Browser | BrowserContext,
  { address }: Pick<Site, "address">,
): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${address}/models/pearl-mini/config.json`);
  return page;
}

/** Runs a function in the page with pearl's bundle. */
export function withPearl<Given, Result>(
  page: Page,
  work: (pearl: typeof Web, given: Given) => Promise<Result>,
  given: Given,
): Promise<Result> {
  const code = `(async () => (${work})(await import("/dist/web/index.js"), ${JSON.stringify(given)}))()`;
  return page.evaluate(code) as Promise<Result>;
}
