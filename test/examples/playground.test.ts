/** The server of the playground, as browsers and others ask it. */
import { once } from "node:events";
import { get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { testFolder } from "../table/folder.js";

const script = pathToFileURL(join("examples", "playground", "serve.mjs")).href;
const { folderServer } = (await import(script)) as { folderServer: (folder: string) => Server };
const { path: folder, file } = testFolder();
file("page.js", "export {};");

it("answers an address that no file can have with 404, and serves on", async () => {
  const server = folderServer(folder).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const statusOf = async (path: string): Promise<number | undefined> => {
    const [response] = (await once(get({ port, path, agent: false }), "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const wrong = ["/%E0%A4%A", "//", "/%00", "/page.js/more", `/${"x".repeat(300)}`, "/../../etc/passwd"];
  for (const path of wrong) expect(await statusOf(path), path).toBe(404);
  expect(await statusOf("/page.js?v=1")).toBe(200);
  server.close();
});
