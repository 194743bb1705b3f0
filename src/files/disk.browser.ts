/**
 * In a browser a path is an address, and files come over HTTP. Those of a model's folder are kept in Cache Storage under
 * their address and checksum, so that a changed file is fetched again; `checksums.json` lists both.
 */
import { ModelError, messageOf } from "../errors.js";
import { checksum } from "./checksums/crc.js";

/** What the compiler would know from a browser's list of globals. */
interface Cache {
  match(address: string): Promise<Response | undefined>;
  put(address: string, response: Response): Promise<void>;
  delete(address: string, options: { readonly ignoreSearch: boolean }): Promise<boolean>;
}
const browser = globalThis as unknown as { readonly caches?: { open(name: string): Promise<Cache> } };

/** Pages over plain HTTP have none, except those of the user's own machine; a browser may refuse it, or fail to open it. */
const openCache = async (): Promise<Cache | undefined> => {
  try {
    return await browser.caches?.open("pearl-models");
  } catch {
    return undefined;
  }
};

/** A full disk or a private window keeps nothing: the next page then fetches it again. */
const keep = (cache: Cache | undefined, address: string, response: Response): Promise<void> | undefined =>
  cache?.put(address, response).catch(() => {});

/** Length in bytes and CRC-32 of each file, by name in the folder. */
type Listing = Readonly<Record<string, readonly [bytes: number, crc32: string]>>;

const listings = new Map<string, Promise<Listing | undefined>>();

/** Options of {@link fetchFolder}. */
export interface FetchOptions {
  /** Stops the transfer. */
  readonly signal?: AbortSignal;
  /** Called with the bytes that have come and all bytes. */
  readonly onBytes?: (done: number, total: number) => void;
}

/** A model's files lie in its folder or in `onnx/`. */
const [nameInFolder, noLast] = [/(?:onnx\/)?[^/]+$/, /\/(?:onnx\/)?[^/]+$/];

function listing(folder: string): Promise<Listing | undefined> {
  const known = listings.get(folder);
  if (known !== undefined) return known;
  const found = fetchListing(`${folder}/checksums.json`);
  listings.set(folder, found);
  // What failed is tried again.
  const forget = (): void => void listings.delete(folder);
  found.then((files) => files ?? forget(), forget);
  return found;
}

/** As it is now; without a network or a server that works, as it was. @returns undefined where the server has none */
async function fetchListing(address: string): Promise<Listing | undefined> {
  const cache = await openCache();
  const response = await fetchWorking(address).catch(async (cause: unknown) => {
    const kept = await cache?.match(address);
    if (kept !== undefined) return kept;
    throw new ModelError(`${address} cannot be fetched: ${messageOf(cause)}`, { cause });
  });
  if (!response.ok) return undefined;
  const page = response.clone();
  const content = (await response.json().catch(() => undefined)) as { files: Listing } | undefined;
  // Servers of single-page programs answer every address with a page.
  if (content !== undefined) await keep(cache, address, page);
  return content?.files;
}

/** @throws Error where the server fails */
async function fetchWorking(address: string): Promise<Response> {
  const response = await fetch(address, { cache: "no-cache" } as RequestInit);
  if (response.status >= 500) throw new Error(`the server answered ${response.status}`);
  return response;
}

async function sumOf(path: string) {
  const [name] = nameInFolder.exec(path) ?? [path];
  return { name, sum: (await listing(path.replace(noLast, "")))?.[name] };
}

export const wholePath = (path: string): string => path.replace(/\/+$/, "");
export const moduleAddress = (module: string): string => module;

export const kindOf = async (path: string): Promise<"folder" | undefined> =>
  (await listing(path)) && "folder";

export const exists = async (path: string): Promise<boolean> => (await sumOf(path)).sum !== undefined;

export const fileSize = async (path: string): Promise<number> => (await sumOf(path)).sum?.[0] ?? 0;

export async function folderSize(folder: string): Promise<number> {
  return Object.values((await listing(folder)) ?? {}).reduce((sum, [bytes]) => sum + bytes, 0);
}

/** Fetches the files of a folder that are not kept yet. */
export async function fetchFolder(
  folder: string,
  { signal, onBytes = () => {} }: FetchOptions = {},
): Promise<void> {
  const [names, total] = [Object.keys((await listing(folder)) ?? {}), await folderSize(folder)];
  const cache = await openCache();
  let done = 0;
  for (const name of names) {
    const { sum } = await sumOf(`${folder}/${name}`);
    const [bytes] = sum!;
    const isKept = (await cache?.match(keyOf(`${folder}/${name}`, sum!))) !== undefined;
    signal?.throwIfAborted();
    const onPart = (part: number): void => onBytes(Math.min(done + part, total), total);
    if (!isKept) await readBytes(`${folder}/${name}`, { signal, onPart });
    done += bytes;
    onBytes(done, total);
  }
}

const keyOf = (path: string, [, crc32]: Listing[string]): string => `${path}?${crc32}`;

interface ReadOptions {
  readonly signal?: AbortSignal;
  readonly onPart?: (bytes: number) => void;
}

/** @throws ModelError where the file is missing, cut off or damaged; the signal's reason */
export async function readBytes(
  path: string,
  { signal, onPart = () => {} }: ReadOptions = {},
): Promise<Uint8Array> {
  const { name, sum } = await sumOf(path);
  if (sum === undefined) throw new ModelError(`${path} is missing`);
  const [cache, address] = [await openCache(), keyOf(path, sum)];
  const kept = await cache?.match(address);
  if (kept !== undefined) return new Uint8Array(await kept.arrayBuffer());
  const response = await fetch(address, { signal }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new ModelError(`${path} cannot be fetched: ${messageOf(cause)}`, { cause });
  });
  if (!response.ok) throw new ModelError(`${path} cannot be fetched: the server answered ${response.status}`);
  const bytes = await bodyOf(response, onPart);
  // of config.json the listing has the checksum without the model's names
  if (name !== "config.json" && (bytes.length !== sum[0] || checksum(bytes) !== sum[1]))
    throw new ModelError(
      `${path} is damaged: its checksum differs. Copy the model's folder to the server again.`,
    );
  await cache?.delete(address, { ignoreSearch: true });
  await keep(cache, address, new Response(bytes));
  return bytes;
}

async function bodyOf(response: Response, onPart: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let done = 0;
  for (const reader = response.body!.getReader(); ; ) {
    const { value } = await reader.read();
    if (value === undefined) break;
    parts.push(value as Uint8Array<ArrayBuffer>);
    done += value.length;
    onPart(done);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** @throws an error with the code of a missing file, as Node's */
export async function readText(path: string): Promise<string> {
  if (!(await exists(path))) throw Object.assign(new Error(`${path} is missing`), { code: "ENOENT" });
  return new TextDecoder().decode(await readBytes(path));
}

export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  yield await readBytes(path);
}
