/** Imports between the rooms of src/ point down, at any depth, and the linter's rules say the same; quick tests start no process. */
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, normalize, sep } from "node:path";
import { describe, expect, it } from "vitest";

const script = new URL("../scripts/layers.mjs", import.meta.url).href;
const { layers, overrides } = (await import(script)) as { layers: string[][]; overrides: () => unknown };
const levelOf = new Map(layers.flatMap((rooms, level) => rooms.map((room) => [room, level] as const)));

describe("the rooms of src/", () => {
  it("are all in the list of layers", async () => {
    const entries = await readdir("src", { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect([...levelOf.keys()].sort()).toEqual(folders.sort());
  });

  it("import only themselves, lower layers and the files directly in src/, never an entry of the package", async () => {
    const wrong: string[] = [];
    const files = (await readdir("src", { recursive: true })).filter((file) => /[/\\].*\.ts$/.test(file));
    for (const file of files.map((name) => join("src", name))) {
      const room = file.split(sep)[1];
      for (const [, path] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
        const target = normalize(join(dirname(file), path)).split(sep);
        const level = target.length > 2 ? levelOf.get(target[1]) : undefined;
        const isEntry = target.length === 2 && /^(?:index|train)\.js$/.test(target[1]);
        const isUp = target[1] !== room && level !== undefined && level >= (levelOf.get(room) ?? 0);
        if (isEntry || isUp) wrong.push(`${file} → ${path}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it("have the rules in biome.json that scripts/layers.mjs writes", () => {
    expect(JSON.parse(readFileSync("biome.json", "utf8")).overrides).toEqual(overrides());
  });
});

it("quick tests import nothing that starts a process", async () => {
  const files = (await readdir("test", { recursive: true })).filter(
    (file) => file.endsWith(".test.ts") && !file.endsWith(".full.test.ts") && !file.startsWith(`slow${sep}`),
  );
  const starters = /from "(?:node:child_process|[^"]*\/(?:run-cli|postgres\/server)\.js)"/;
  expect(files.filter((file) => starters.test(readFileSync(join("test", file), "utf8")))).toEqual([]);
});
