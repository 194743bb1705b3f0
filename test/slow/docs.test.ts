/**
 * Runs README and docs: each `sh` and `js` block of a page in order, in a folder that holds a copy of data/. A block
 * whose info string says `not-run: reason` is left out.
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../cli/run-cli.js";

const pages = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)];

interface Block {
  readonly language: string;
  readonly note: string;
  readonly code: string;
  readonly line: number;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(/^```(\w+)(.*)\n([\s\S]*?)^```$/gm)].map(([, language, note, code, ...rest]) => ({
    language,
    note: note.trim(),
    code,
    line: text.slice(0, rest.at(-2) as unknown as number).split("\n").length,
  }));
}

/** An empty project with the samples, the package and its command, as `npm install` leaves them. */
function newProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "pearl-docs-"));
  cpSync("data", join(folder, "data"), { recursive: true });
  const commands = join(folder, "node_modules", ".bin");
  mkdirSync(commands, { recursive: true });
  symlinkSync(resolve("."), join(folder, "node_modules", "pearl-embeddings"));
  symlinkSync(resolve("dist/cli/main.js"), join(commands, "pearl"));
  return folder;
}

describe.concurrent("a page's snippets run", () => {
  it.each(pages)("%s", async (page) => {
    const cwd = newProject();
    const environment = {
      PATH: `${join(cwd, "node_modules/.bin")}:${process.env.PATH}`,
      HF_HUB_OFFLINE: "1",
    };
    for (const { language, note, code, line } of blocksOf(page)) {
      if (note.startsWith("not-run: ") || !["sh", "js"].includes(language)) continue;
      const where = `${page}:${line}`;
      expect(note, `${where}: write "not-run: reason", or nothing`).toBe("");
      const script = join(cwd, language === "sh" ? "block.sh" : "block.mjs");
      // npx would look for the command that is on the path anyway.
      writeFileSync(script, language === "sh" ? `set -e\nnpx() { "$@"; }\n${code}` : code);
      const { code: status, stderr } = await run(language === "sh" ? "bash" : process.execPath, [script], {
        cwd,
        environment,
      });
      expect(status, `${where}\n${code}\n${stderr}`).toBe(0);
    }
  });
});
