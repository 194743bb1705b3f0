/** The bundle for browsers: nothing of Node is left in it. */
import { build } from "esbuild";
import { expect, it } from "vitest";

const script = new URL("../../scripts/build-web.mjs", import.meta.url).href;
const { webOptions } = (await import(script)) as { webOptions: () => Promise<object & { outdir: string }> };

it("bundles for a browser without a module or a global of Node's, and without code made from text", async () => {
  const { outputFiles, metafile } = await build({ ...(await webOptions()), write: false, metafile: true });
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter((one) => one.external),
  );
  // ONNX Runtime's stand-in for what it loads at run time
  expect(outside.map(({ path }) => path).filter((path) => path !== "<runtime>")).toEqual([]);
  const names = outputFiles
    .map(({ path }) => path.split("/").at(-1))
    .filter((name) => !name!.startsWith("chunk-"));
  expect(names.sort()).toEqual(["encode-worker.js", "index.js", "range-worker.js", "worker.js"]);
  const ofRuntime = Object.entries(metafile.outputs).flatMap(([path, { inputs }]) =>
    Object.keys(inputs).some((input) => input.includes("onnxruntime-web")) ? path : [],
  );
  const own = outputFiles.filter(({ path }) => !ofRuntime.some((output) => path.endsWith(output)));
  // the WebAssembly and the WebGPU build
  expect(own.length).toBe(outputFiles.length - 2);
  const foreign = /["']node:|\bBuffer\.from|\bprocess\.|new Function\b|\beval\(/;
  for (const { path, text } of own) expect(foreign.exec(text)?.[0], path).toBe(undefined);
});

it("leaves ONNX Runtime's WebGPU build in a chunk of its own that nothing imports until a page asks for it", async () => {
  const { metafile } = await build({ ...(await webOptions()), write: false, metafile: true });
  const [gpu, ...others] = Object.keys(metafile.outputs).filter((path) =>
    Object.keys(metafile.outputs[path].inputs).some((input) => input.includes("ort.webgpu")),
  );
  expect(others).toEqual([]);
  expect(Object.keys(metafile.outputs[gpu].inputs).filter((input) => input.startsWith("src/"))).toEqual([]);
  const imports = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.filter(({ path }) => path === gpu),
  );
  expect(imports.map(({ kind }) => kind)).toEqual(["dynamic-import"]);
});

it("fails on a module of Node's", async () => {
  const entryPoints = ["src/files/lock.ts"];
  const options = { ...(await webOptions()), entryPoints, write: false, logLevel: "silent" as const };
  await expect(build(options)).rejects.toThrow('Could not resolve "node:');
});
