/** In a browser: the same fingerprint of a model, by the browser's own SHA-256. */
import type { ModelFolder } from "../architectures/architecture.js";
import { vectorSources } from "../architectures/vector-sources.js";
import { exists, readBytes } from "../files/disk.browser.js";

export async function modelFingerprint(folder: ModelFolder, precision: string): Promise<string> {
  const { files, facts } = await vectorSources(folder, precision);
  const parts: (string | Uint8Array<ArrayBuffer>)[] = [precision];
  for (const file of files)
    if (await exists(file)) parts.push((await readBytes(file)) as Uint8Array<ArrayBuffer>);
  parts.push(facts);
  const hash = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
  const digits = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("").slice(0, 16);
}
