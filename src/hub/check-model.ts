/** Compares the files of a model with what is known of them: its own checksums, or the hub's, which name the cache's blobs. */
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ModelError } from "../errors.js";
import { checkOnce } from "../files/checksums/checksum.js";
import { fingerprint } from "../files/checksums/fingerprint.js";
import { cachePath } from "../files/package.js";
import { checkFolder } from "../files/sealed-folder.js";
import { externalFiles } from "../onnx/io/external-files.js";
import { hubSettings } from "./settings.js";
import { fileDigest } from "./transfer.js";

export const EMBEDDED_MODELS = fileURLToPath(new URL("../../models", import.meta.url));

/** Files of a repository that vectors are computed with; safetensors only where there is no graph. */
function readFiles(folder: string, names: readonly string[]): string[] {
  const graphs = names.filter((name) => name.endsWith(".onnx"));
  if (graphs.length === 0) return names.filter((name) => /\.(json|txt|safetensors)$/.test(name));
  const beside = graphs.flatMap((name) =>
    externalFiles(join(folder, name)).map((weights) => join(dirname(name), weights)),
  );
  return [...new Set([...names.filter((name) => /\.(onnx|json|txt)$/.test(name)), ...beside])];
}

/**
 * @param which "changed" leaves out large files of the hub's cache that have not changed since they were found whole
 * @returns how many files were compared; 0 where nothing is known of the folder
 * @throws ModelError that names the damaged file and the cure
 */
export async function checkModel(folder: string, which: "all" | "changed" = "changed"): Promise<number> {
  const own = await checkFolder(folder, ModelError, cureOf(folder));
  return own > 0 ? own : checkBlobs(folder, which);
}

function cureOf(folder: string): string {
  const isIn = (parent: string): boolean => !relative(parent, resolve(folder)).startsWith("..");
  if (isIn(EMBEDDED_MODELS)) return "Uninstall pearl and install it again.";
  if (isIn(join(hubSettings().home, "pearl", "imported")))
    return `Remove ${folder}, and pearl makes it again.`;
  if (isIn(cachePath("objects"))) return `Remove ${folder}, and pearl copies the model again.`;
  return `Restore the model from a backup, or make it again. If you changed it yourself: pearl models check ${folder} --accept`;
}

async function checkBlobs(folder: string, which: "all" | "changed"): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const blobs = new Map<string, string>();
  for (const name of readFiles(folder, names)) {
    const path = join(folder, name);
    // a link to nothing is no file; what a model needs is missed where it is read
    const blob = await realpath(path).catch(() => undefined);
    if (blob === undefined) continue;
    const isNamedBySum = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(basename(blob));
    if (isNamedBySum && basename(dirname(blob)) === "blobs") blobs.set(blob, path);
  }
  const compare = async (blob: string): Promise<void> => {
    const sum = basename(blob);
    if ((await fileDigest(blob, sum.length === 64 ? "sha256" : "git")) === sum) return;
    throw new ModelError(
      `${blobs.get(blob)} is damaged: its checksum differs. Remove ${blob}, and pearl downloads it again.`,
    );
  };
  if (which === "all") for (const blob of blobs.keys()) await compare(blob);
  else {
    const memory = join(hubSettings().home, "pearl", "checked", fingerprint(resolve(folder)));
    await checkOnce(memory, [...blobs.keys()], compare);
  }
  return blobs.size;
}
