/** What npm publishes: how the package is loaded, bundled and packed. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { runNode } from "../cli/run-cli.js";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
const without = "--no-experimental-require-module";
let project: string;

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "pearl-project-"));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(resolve("."), join(project, "node_modules", "pearl-embeddings"));
});

function run(name: string, code: string, ...flags: string[]) {
  writeFileSync(join(project, name), code);
  return runNode([...flags, name], { cwd: project });
}

describe("the package", () => {
  it("loads by import", async () => {
    const { stdout } = await run(
      "a.mjs",
      'import { PhraseEncoder } from "pearl-embeddings"; console.log(typeof PhraseEncoder.load);',
    );
    expect(stdout).toBe("function\n");
  });

  it("loads by require(), or the error shows how to import it", async () => {
    const code = 'console.log(typeof require("pearl-embeddings").PhraseEncoder);';
    const outcome = await run("b.cjs", code);
    if (process.features.require_module) expect(outcome.stdout).toBe("function\n");
    else expect(outcome.stderr).toContain('await import("pearl-embeddings")');
    const { stderr } = await run("c.cjs", code, ...(process.features.require_module ? [without] : []));
    expect(stderr).toContain('await import("pearl-embeddings")');
  });

  async function bundled(code: string, external: string[]) {
    const [source, outfile] = [join(project, "app.mjs"), join(project, "app.bundle.mjs")];
    writeFileSync(source, code);
    const { warnings } = await build({
      ...{ entryPoints: [source], outfile, external, bundle: true, platform: "node", format: "esm" },
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    return runNode([outfile], { cwd: project });
  }

  it("bundles with esbuild, its dependencies left outside", async () => {
    for (const name of dependencies) {
      const target = join(project, "node_modules", name);
      mkdirSync(join(target, ".."), { recursive: true });
      symlinkSync(resolve("node_modules", name), target);
    }
    const code = `import { PHRASE_TYPES, readPreset } from "pearl-embeddings";
      console.log(PHRASE_TYPES.length, typeof readPreset);`;
    const { stdout, stderr } = await bundled(code, dependencies);
    expect(stdout, stderr).toBe("95 function\n");
  });

  it("encodes from a bundle that leaves the package outside", async () => {
    const code = `import { PhraseEncoder } from "pearl-embeddings";
      const encoder = await PhraseEncoder.load();
      console.log((await encoder.encode(["NYTimes"]))[0].length === encoder.dimension);
      await encoder.dispose();`;
    const { stdout, stderr } = await bundled(code, ["pearl-embeddings"]);
    expect(stdout, stderr).toBe("true\n");
  });

  it("packs examples and docs, and neither source maps nor the compiler's notes", () => {
    const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    });
    const [{ files }] = JSON.parse(output) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    const wanted = ["docs/encode.md", "examples/join.mjs", "dist/index.js", "data/words/nicknames.tsv"];
    expect(paths).toEqual(expect.arrayContaining(wanted));
    expect(paths.filter((path) => /\.map$|tsbuildinfo/.test(path))).toEqual([]);
  });
});
