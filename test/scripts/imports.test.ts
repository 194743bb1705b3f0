/** Scripts and benchmarks run seldom: a name that src no longer exports would be noticed late. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const files = ["scripts", "benchmarks"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".mjs"))
    .map((name) => join(folder, name)),
);
/** `import { a, b as c } from "./x.js"`, also with await. */
const imports = /(?:import|const) (\{[^}]*\}) (?:from |= await import\()"(\.[^"]+)"/g;

it.each(files)("%s imports names that exist", async (file) => {
  for (const [, names, path] of readFileSync(join(root, file), "utf8").matchAll(imports)) {
    const target = relative(root, join(root, dirname(file), path));
    const source = target.replace(/^dist\/(.*)\.js$/, "src/$1.ts");
    expect(existsSync(join(root, source)), `${path} exists`).toBe(true);
    // other scripts run when they are imported
    if (!source.startsWith("src/")) continue;
    const found = await import(join(root, source));
    for (const name of names.slice(1, -1).split(",")) {
      const [exported] = name.trim().split(/ as |: /);
      if (exported) expect(Object.keys(found), `${exported} of ${source}`).toContain(exported);
    }
  }
});
