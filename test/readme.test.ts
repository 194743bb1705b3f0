/** README keeps its promises: its programs are the examples that CI runs, its files and options exist. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pearl } from "./cli/run-cli.js";

const readme = readFileSync("README.md", "utf8");

describe("README", () => {
  it("shows programs that stand in examples/, word for word", () => {
    const blocks = [...readme.matchAll(/<!-- (examples\/\S+) -->\n```js\n([\s\S]*?)```/g)];
    expect(blocks.length).toBeGreaterThan(0);
    for (const [, path, code] of blocks) {
      const program = readFileSync(path, "utf8").replace(/^\/\*\*.*\*\/\n/, "");
      expect(program, path).toBe(code);
    }
    expect([...readme.matchAll(/```js\n/g)]).toHaveLength(blocks.length);
  });

  it("starts a newcomer with two commands", () => {
    expect([...readme.matchAll(/^```sh \w+$/gm)].map(([line]) => line)).toEqual([
      "```sh install",
      "```sh test",
    ]);
  });

  it("links to files that are there", () => {
    for (const [, target] of readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
      expect(existsSync(target), target).toBe(true);
  });

  it("names commands and options that the command line knows", async () => {
    const { stdout } = await pearl(["--help"]);
    const commands = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
    for (const [, name] of readme.matchAll(/(?:npx |`)pearl ([a-z][a-z-]*)/g))
      expect(commands, name).toContain(name);
    const help = await Promise.all(
      [...commands, "index build", "corpus build"].map(
        async (name) => (await pearl([...name.split(" "), "--help"])).stdout,
      ),
    );
    const known = help.join("\n");
    const ours = readme.replaceAll(/npm ci --[\w=-]+/g, "");
    for (const [option] of ours.matchAll(/(?<=[\s`])--[a-z][\w-]+/g)) expect(known, option).toContain(option);
  });
});
