/** An index in object storage: a copy of it is opened, and never changed. */
import { messageOf, VectorIndexError } from "../../errors.js";
import { fetchFolder, listObjects, uploadMark } from "../../files/object-storage/folder.js";
import { FolderStore } from "./folder-store.js";
import { notAnIndex } from "./vector-store.js";

/**
 * Undefined where the objects are not those of an index in a folder, but perhaps LanceDB's.
 * @throws VectorIndexError where there are none, or the copy is damaged; ObjectStorageError
 */
export async function openCopy(
  address: string,
  onDownload: Parameters<typeof fetchFolder>[1],
): Promise<FolderStore | undefined> {
  const entries = await listObjects(address);
  if (entries.length === 0) throw notAnIndex(address, `${address}\` makes one`);
  if (!entries.some(({ name }) => name === "index.json" || name === uploadMark)) return undefined;
  const folder = await fetchFolder(address, onDownload, entries);
  return FolderStore.open(folder).catch((cause) => {
    const reason = `its copy cannot be used (${messageOf(cause)})`;
    throw new VectorIndexError(`${address}: ${reason}. Remove ${folder}, and pearl copies the index again.`, {
      cause,
    });
  });
}
