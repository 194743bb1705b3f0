/** Reads files of models; disk.browser.ts reads the same files over HTTP. */
import { open, readdir, readFile, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** True where the path exists; a broken symlink does not count. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

export const wholePath = (path: string): string => resolve(path);

/** What `import()` takes for a module's path, or its URL. */
export const moduleAddress = (module: string): string =>
  /^[a-z]{2,}:/i.test(module) ? module : pathToFileURL(module).href;

/** What lies there, if anything does. */
export async function kindOf(path: string): Promise<"file" | "folder" | undefined> {
  const entry = await stat(path).catch(() => undefined);
  return entry && (entry.isDirectory() ? "folder" : "file");
}

/** @throws the system's error */
export const readText = (path: string): Promise<string> => readFile(path, "utf8");

/** Bytes read at a time: reading a stream's default small pieces takes longer than hashing them. */
export const pieceBytes = 2 ** 20;

/** The content of a file in pieces, all in the same buffer: a stream would allocate as much as the file holds. */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const piece = Buffer.allocUnsafe(pieceBytes);
  const file = await open(path);
  try {
    for (let size = -1; size !== 0; yield piece.subarray(0, size))
      ({ bytesRead: size } = await file.read(piece));
  } finally {
    await file.close();
  }
}

/** Bytes of a file, linked or not; 0 where there is none. */
export const fileSize = (path: string): Promise<number> =>
  stat(path).then(
    (file) => (file.isFile() ? file.size : 0),
    () => 0,
  );

/** Files in a folder and its subfolders, by their names in it with slashes; linked files too. @throws the system's error */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const names: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if ((await kindOf(path)) === "file") names.push(relative(folder, path).replaceAll("\\", "/"));
  }
  return names;
}

/** Bytes of the files in a folder and its subfolders; 0 where there is no folder. */
export async function folderSize(folder: string): Promise<number> {
  const names = await filesIn(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => fileSize(join(folder, name))));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
