/** The snippets of docs/web.md: the shell's in a new project, the page's in Chromium. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { hasChromium, startChromium } from "../chromium.js";

const script = new URL("../../../examples/playground/serve.mjs", import.meta.url).href;
const { folderServer } = (await import(script)) as { folderServer: (folder: string) => Server };

describe.skipIf(!hasChromium)("docs/web.md", () => {
  it("shows a program that prints what its comments say", async () => {
    const project = mkdtempSync(join(tmpdir(), "pearl-web-docs-"));
    mkdirSync(join(project, "node_modules"));
    symlinkSync(resolve("."), join(project, "node_modules/pearl-embeddings"));
    const blocks = [...readFileSync("docs/web.md", "utf8").matchAll(/^```(sh|js)(.*)\n([\s\S]*?)^```$/gm)];
    const [shell] = blocks.filter(([, language, note]) => language === "sh" && note === "");
    const [program] = blocks.filter(([, language]) => language === "js");
    execFileSync("bash", ["-e", "-c", shell[3]], { cwd: project });
    writeFileSync(
      join(project, "public/index.html"),
      '<!doctype html><script type="module" src="page.js"></script>',
    );
    writeFileSync(join(project, "public/page.js"), `${program[3]}\nconsole.log("end");\n`);
    const server = folderServer(join(project, "public"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const browser = await startChromium();
    const page = await browser.newPage();
    const printed: string[] = [];
    page.on("console", (message) => printed.push(message.text()));
    page.on("pageerror", (error) => printed.push(`error: ${error.message}`));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await expect.poll(() => printed.at(-1), { timeout: 120_000 }).toMatch(/^end$|^error/);
    await browser.close();
    server.close();
    const lines = printed.filter((line) => !line.includes("favicon"));
    expect(lines).toEqual([
      ...["600 600", "true", "0", expect.stringMatching(/^0 .*"Acme Foods Inc\."/)],
      ...[
        expect.stringContaining("a precision of 0.9 is not established: only 1 pair is likely"),
        "1",
        "end",
      ],
    ]);
  });
});
