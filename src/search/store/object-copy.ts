/** An index in object storage: a copy of it is opened, and never changed. */
import { messageOf, VectorIndexError } from "../../errors.js";
import { fetchFolder, listObjects, uploadMark } from "../../files/object-storage/folder.js";
import { FolderStore } from "./folder-store.js";
import { notAnIndex } from "./vector-store.js";

/** @throws VectorIndexError where there is no index, or the copy is damaged; ObjectStorageError */
export async function openCopy(
  address: string,
  onDownload: Parameters<typeof fetchFolder>[1],
): Promise<FolderStore> {
  const entries = await listObjects(address);
  if (!entries.some(({ name }) => name === "index.json" || name === uploadMark))
    throw notAnIndex(address, `${address}\` makes one`);
  const folder = await fetchFolder(address, onDownload, entries);
  const store = await FolderStore.open(folder).catch((cause) => {
    const reason = `its copy cannot be used (${messageOf(cause)})`;
    throw new VectorIndexError(`${address}: ${reason}. Remove ${folder}, and pearl copies the index again.`, {
      cause,
    });
  });
  if (store === undefined) throw notAnIndex(address, `${address}\` makes one`);
  return store;
}
