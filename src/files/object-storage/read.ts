/** Reads objects in ranges: each is asked for again when the connection breaks, and an object that changed is noticed. */
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { GetObjectCommandOutput } from "@aws-sdk/client-s3";
import { NoSuchObject, notS3, request, transferSignal } from "./client.js";

/** An object as it is now. */
export interface ObjectState {
  readonly size: number;
  /** Changes with the content. */
  readonly etag: string;
}

/** Bytes of a range: enough to hide the time of a request. */
const rangeBytes = 8 * 2 ** 20;
/** Ranges that are asked for before they are needed. */
const rangesAhead = 3;
/** Readings of one range, with pauses that double. */
const attempts = 4;
const firstPauseMs = 500;

/** Asks for two bytes, since the answer to a request for none does not say what is missing. @throws NoSuchObject, ObjectStorageError */
export const objectState = (address: string): Promise<ObjectState> => readRange(address, 0, 2);

/** Undefined where there is no such object. @throws ObjectStorageError */
export const findObject = (address: string): Promise<ObjectState | undefined> =>
  objectState(address).catch((error: unknown) => {
    if (error instanceof NoSuchObject) return undefined;
    throw error;
  });

/**
 * The bytes from `from` to `to`, exclusive; fewer where the object ends before.
 * @param etag of the content that must still be there
 * @throws NoSuchObject, ObjectStorageError
 */
export function readRange(
  address: string,
  from: number,
  to: number,
  etag?: string,
  signal: AbortSignal = transferSignal(),
): Promise<ObjectState & { readonly bytes: Buffer }> {
  return request(address, signal, async (client, place, { GetObjectCommand }) => {
    const command = { ...place, Range: `bytes=${from}-${to - 1}`, IfMatch: etag };
    for (let attempt = 1; ; attempt++) {
      const answer = await client
        .send(new GetObjectCommand(command), { abortSignal: signal })
        .catch((error: { readonly name?: string }) => {
          // An empty object has no first byte.
          if (error.name === "InvalidRange" && from === 0) return { ETag: '"empty"', ContentRange: "*/0" };
          throw error;
        });
      const state = stateOf(answer);
      try {
        return { ...state, bytes: await bodyOf(answer, Math.min(to, state.size) - from) };
      } catch (error) {
        // The SDK repeats a request, but not the reading of its answer.
        if (signal.aborted || attempt === attempts) throw error;
        await sleep(firstPauseMs * 2 ** (attempt - 1), undefined, { signal });
      }
    }
  });
}

type Answer = Pick<GetObjectCommandOutput, "ETag" | "ContentRange" | "Body">;

function stateOf({ ETag: etag, ContentRange = "" }: Answer): ObjectState {
  const size = Number(/\/(\d+)$/.exec(ContentRange)?.[1]);
  if (etag !== undefined && !Number.isNaN(size)) return { etag, size };
  throw notS3();
}

async function bodyOf({ Body: body }: Answer, length: number): Promise<Buffer> {
  if (length <= 0 || body === undefined) return Buffer.alloc(0);
  const bytes = Buffer.from(await body.transformToByteArray());
  if (bytes.length === length) return bytes;
  throw new Error(`the server sent ${bytes.length} of ${length} bytes`);
}

/** What is read of an object; default: all. */
interface ReadOptions {
  readonly from?: number;
  /** Exclusive. */
  readonly to?: number;
  /** The content that must be there. */
  readonly etag?: string;
  readonly signal?: AbortSignal;
  /** Receives the number of bytes so far. */
  readonly onBytes?: (done: number) => void;
}

/**
 * The bytes of an object, in order; the next ranges arrive while one is used.
 * @throws NoSuchObject, ObjectStorageError
 */
export async function* readObject(
  address: string,
  { from = 0, to = Infinity, etag: expected, signal: given, onBytes }: ReadOptions = {},
): AsyncGenerator<Buffer> {
  const end = new AbortController();
  const signal = transferSignal(end.signal, given);
  const range = (start: number, etag: string | undefined) =>
    readRange(address, start, Math.min(start + rangeBytes, to), etag, signal);
  const ahead: ReturnType<typeof range>[] = [];
  try {
    const first = await range(from, expected);
    const last = Math.min(to, first.size);
    let next = from + rangeBytes;
    let done = 0;
    for (
      let part: Buffer | undefined = first.bytes;
      part !== undefined;
      part = (await ahead.shift())?.bytes
    ) {
      for (; next < last && ahead.length < rangesAhead; next += rangeBytes) {
        const following = range(next, first.etag);
        // It may fail before its turn comes.
        following.catch(() => {});
        ahead.push(following);
      }
      done += part.length;
      onBytes?.(done);
      if (part.length > 0) yield part;
    }
  } finally {
    end.abort();
  }
}

/** Copies an object into a new file. @throws NoSuchObject, ObjectStorageError; the system's error */
export const fetchObject = (address: string, file: string, options?: ReadOptions): Promise<void> =>
  pipeline(Readable.from(readObject(address, options)), createWriteStream(file));
