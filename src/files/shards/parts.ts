/** Parts that are merged: together they are one run's work, each shard once, and nothing else. */
import { isDeepStrictEqual } from "node:util";
import { ShardError } from "../../errors.js";
import { checkContent, type PartHead, type PartManifest, readKept, readManifest } from "./part-file.js";
import type { Sharing } from "./shard.js";

/** A part that was checked. */
export interface Part {
  readonly path: string;
  readonly manifest: PartManifest;
}

/**
 * Reads and checks parts.
 * @returns them in the order of their shards
 * @throws ShardError for a part that is missing, doubled, damaged or of another run, and for the file of a first pass
 */
export async function openParts(paths: readonly string[]): Promise<Part[]> {
  const parts: Part[] = [];
  for (const path of paths) parts.push({ path, manifest: await readManifest(path) });
  for (const { path, manifest } of parts) {
    if (manifest.shard.count > 0) continue;
    throw new ShardError(
      `${path} is the first pass of --learn, not a part of a shard. Leave it out, and name the parts that pearl ${manifest.command} --shard I/N --learned ${path} writes.`,
    );
  }
  const [first, ...others] = parts;
  for (const part of others) {
    const difference = differenceBetween(part.manifest, first.manifest);
    if (difference === undefined) continue;
    throw new ShardError(
      `${part.path} and ${first.path} are parts of different runs: ${difference}. Leave out the foreign one, or run its shard again as the others.`,
    );
  }
  const { command, shard } = first.manifest;
  const ordered = Array.from({ length: shard.count }, (_, place) => {
    const [part, doubled] = parts.filter(({ manifest }) => manifest.shard.index === place + 1);
    const name = `${place + 1}/${shard.count}`;
    if (part === undefined)
      throw new ShardError(
        `the part of shard ${name} is missing. Name it too, or run pearl ${command} with --shard ${name}.`,
      );
    if (doubled !== undefined)
      throw new ShardError(`${part.path} and ${doubled.path} are both shard ${name}. Leave one of them out.`);
    return part;
  });
  for (const { path, manifest } of ordered) await checkContent(path, manifest);
  return ordered;
}

/** How two parts differ in what all parts of a run have in common. */
export function differenceBetween(part: PartHead, other: PartHead): string | undefined {
  const differing = (a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>) =>
    [...new Set([...Object.keys(a), ...Object.keys(b)])].find((name) => !isDeepStrictEqual(a[name], b[name]));
  const setting = differing(part.settings, other.settings);
  const input = differing(part.inputs, other.inputs);
  const differences: readonly (readonly [boolean, string])[] = [
    [part.command !== other.command, `pearl ${part.command} and pearl ${other.command}`],
    [part.pearl !== other.pearl, `made by pearl ${part.pearl} and ${other.pearl}`],
    [part.shard.count !== other.shard.count, `of ${part.shard.count} and ${other.shard.count} shards`],
    [!isDeepStrictEqual(part.arguments, other.arguments), "their arguments differ"],
    [setting !== undefined, `the option ${setting} differs`],
    [input !== undefined, `the content of ${input} differs`],
    [part.model !== other.model, `another model or device (${part.model}, ${other.model})`],
  ];
  return differences.find(([differs]) => differs)?.[1];
}

/** How a merge takes what the shards kept. */
export const mergeOf = (parts: readonly Part[]): Sharing & { readonly kind: "merge" } => ({
  kind: "merge",
  count: parts.length,
  async *parts(names) {
    for (const { path, manifest } of parts) yield await readKept(path, manifest, names);
  },
});
