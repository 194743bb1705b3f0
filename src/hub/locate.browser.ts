/** In a browser a model's folder is an address, and its files are fetched from there. */
import { fetchFolder, wholePath } from "../files/disk.browser.js";
import type { LocateOptions } from "./locate.js";

/** @throws ModelError where a file is missing or damaged; the signal's reason */
export async function locateModel(
  model: string,
  { signal, onDownload }: LocateOptions = {},
): Promise<string> {
  const folder = wholePath(model);
  await fetchFolder(folder, {
    signal,
    onBytes: (done, total) => onDownload?.({ file: folder, done, total }),
  });
  return folder;
}
