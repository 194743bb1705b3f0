/** In a browser a model's folder is an address, and its files are fetched from there. */
import { ArgumentError } from "../errors.js";
import { fetchFolder, wholePath } from "../files/disk.browser.js";
import type { LocateOptions } from "./locate.js";

/** @throws ModelError where a file is missing or damaged, ArgumentError without an address */
export async function locateModel(
  model: string | undefined,
  { onDownload }: LocateOptions = {},
): Promise<string> {
  if (model === undefined) throw new ArgumentError("name the address of a model's folder");
  const folder = wholePath(model);
  await fetchFolder(folder, (done, total) => onDownload?.({ file: folder, done, total }));
  return folder;
}
