/** README and docs match the package: their links, commands and options exist. `test/slow/docs.test.ts` runs them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pearl } from "./cli/run-here.js";

const pages = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);
const texts = new Map(pages.map((page) => [page, readFileSync(page, "utf8")]));
const readme = texts.get("README.md") as string;

describe("README", () => {
  it("is one page", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });

  it("shows a program that examples/ holds, word for word", () => {
    const blocks = [...readme.matchAll(/<!-- (examples\/\S+) -->\n```js\n([\s\S]*?)```/g)];
    expect(blocks.length).toBeGreaterThan(0);
    for (const [, path, code] of blocks)
      expect(readFileSync(path, "utf8").replace(/^\/\*\*.*\*\/\n/, ""), path).toBe(code);
  });

  it("starts a newcomer with two commands", () => {
    expect(readme.match(/^npm ci.*$/gm)).toEqual([
      "npm ci && npx pearl encode data/phrases.csv",
      "npm ci && npm test",
    ]);
  });
});

describe("README and docs", () => {
  it("link to files that exist", () => {
    for (const [page, text] of texts)
      for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g))
        expect(existsSync(join(dirname(page), target)), `${page}: ${target}`).toBe(true);
  });

  it("name commands and options that the command line knows", async () => {
    const { stdout } = await pearl(["--help"]);
    const commands = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
    const help: string[] = [];
    const all = [
      ...commands,
      "index build",
      "index check",
      "index delete",
      "corpus build",
      "models check",
      "classify train",
      "classify phrases",
      "tag train",
      "tag sentences",
      "submit join",
    ];
    for (const name of all) help.push((await pearl([...name.split(" "), "--help"])).stdout);
    const known = help.join("\n");
    for (const [page, text] of texts) {
      for (const [, name] of text.matchAll(/(?:npx |`)pearl ([a-z][a-z-]*)/g))
        expect(commands, `${page}: pearl ${name}`).toContain(name);
      const ours = text.replaceAll(/^.*(?:npx (?!pearl)|npm install ).*$/gm, "");
      for (const [option] of ours.matchAll(/(?<=[\s`])--[a-z][\w-]+/g))
        expect(known, `${page}: ${option}`).toContain(option);
    }
  });
});
