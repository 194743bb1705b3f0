/**
 * Bundles pearl for browsers into dist/web: the entry, the scripts of its workers, and the files of ONNX Runtime that
 * they load; and the playground, with what it imports, into dist/playground. Beside a source file X.ts, X.browser.ts holds the same for browsers and takes its place here.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../", import.meta.url));
const entries = ["web/index", "web/worker", "encoder/encode-worker", "match/run/range-worker"];
/** Files that pages read too. */
const dataFiles = [
  "models/join-scorer/weights.json",
  "data/words/abbreviations.tsv",
  "data/words/circumstances.tsv",
  "data/words/legal-forms.tsv",
  "data/words/nicknames.tsv",
  "data/words/opposites.tsv",
];
const runtimeFiles = ["ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"];

/** @type {import("esbuild").Plugin} */
const browserFiles = {
  name: "browser-files",
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path.replace(/\.js$/, ".browser.ts"));
      return existsSync(file) ? { path: file } : undefined;
    });
  },
};

/**
 * After the compiler has run.
 * @returns {Promise<import("esbuild").BuildOptions & { outdir: string }>}
 */
export async function webOptions() {
  const { productGraph } = await import("../dist/search/graph/product-graph.js");
  const texts = dataFiles.map((name) => [name, readFileSync(join(root, name), "utf8")]);
  return {
    entryPoints: entries.map((name) => join(root, "src", `${name}.ts`)),
    outdir: join(root, "dist/web"),
    entryNames: "[name]",
    chunkNames: "chunk-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    // errors cross from a worker by the name of their class
    keepNames: true,
    format: "esm",
    platform: "browser",
    target: ["es2022"],
    // the runtime's threads then load a file of their own, not the bundle
    conditions: ["onnxruntime-web-use-extern-wasm"],
    define: {
      DATA_FILES: JSON.stringify(Object.fromEntries(texts)),
      PRODUCT_GRAPH: JSON.stringify(Buffer.from(productGraph()).toString("base64")),
    },
    plugins: [browserFiles],
    logLevel: "warning",
  };
}

export async function buildWeb() {
  const options = await webOptions();
  for (const name of readdirSync(options.outdir))
    if (name.endsWith(".js")) rmSync(join(options.outdir, name));
  await build(options);
  const page = join(root, "examples/playground");
  await build({
    entryPoints: [join(page, "page.js")],
    outdir: join(root, "dist/playground"),
    ...{
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      target: ["es2022"],
      logLevel: "warning",
    },
    external: ["../web/index.js"],
  });
  for (const name of ["index.html", "page.css"])
    copyFileSync(join(page, name), join(root, "dist/playground", name));
  const runtime = dirname(createRequire(import.meta.url).resolve("onnxruntime-web/wasm"));
  for (const name of runtimeFiles) copyFileSync(join(runtime, name), join(options.outdir, name));
}
