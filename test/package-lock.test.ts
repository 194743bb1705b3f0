/** What an install does besides downloading packages from the registry. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Package {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}
const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const packages = Object.entries(read("package-lock.json").packages as Record<string, Package>);

it("npm runs no script of onnxruntime-node, which would download CUDA libraries", () => {
  const scripts = packages.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [path] : []));
  expect(scripts).not.toContain("node_modules/onnxruntime-node");
  expect(read("package.json").allowScripts["onnxruntime-node"]).toBe(false);
  // npm warns of settings that it does not know
  expect(existsSync(".npmrc")).toBe(false);
});

it("npm asks about no script of a package", () => {
  const { allowScripts, scripts } = read("package.json");
  const asked = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
  expect(asked.filter((path) => !(path.replace(/.*node_modules\//, "") in allowScripts))).toEqual([]);
  // run where a tarball is installed, and asked about there
  for (const name of ["preinstall", "install", "postinstall", "prepare"])
    expect(scripts).not.toHaveProperty(name);
});

it("all packages that pearl is installed with run on Node 20", () => {
  const newer = packages.filter(([, { dev, engines }]) => !dev && /^>=\s*2[1-9]/.test(engines?.node ?? ""));
  expect(newer.map(([path]) => path)).toEqual([]);
});
