/**
 * Runs README and docs as a new user does, from the installed tarball without a network: each `sh` and `js` block of a
 * page in order, in a folder that holds a copy of data/. A block whose info string says `not-run: reason` is left out.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { installTarball } from "./installed.js";

const pages = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);

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

const newProject = await installTarball();

describe.concurrent("a page's snippets run", () => {
  it.each(pages)("%s", async (page) => {
    const project = newProject();
    for (const { language, note, code, line } of blocksOf(page)) {
      if (note.startsWith("not-run: ") || !["sh", "js"].includes(language)) continue;
      const where = `${page}:${line}`;
      expect(note, `${where}: write "not-run: reason", or nothing`).toBe("");
      const script = join(project.folder, "block.mjs");
      if (language === "js") writeFileSync(script, code);
      const { code: status, stderr } = await project.shell(
        language === "sh" ? `set -e\n${code}` : "node block.mjs",
      );
      expect(status, `${where}\n${code}\n${stderr}`).toBe(0);
    }
  });
});
