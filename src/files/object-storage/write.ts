/** Writes objects: one appears, or replaces another, when all of it has arrived. */
import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { S3Client } from "@aws-sdk/client-s3";
import type * as LibStorage from "@aws-sdk/lib-storage";
import { ObjectStorageError } from "../../errors.js";
import { loadOptional } from "../package.js";
import { notS3, objectName, request, transferSignal } from "./client.js";
import { readRange } from "./read.js";
import { inTemporaryFolder, writeTemporary } from "./temporary-folder.js";

/** A multipart upload has at most 10,000 parts. */
const [smallestPart, mostParts] = [8 * 2 ** 20, 10_000];

const loadUploads = () =>
  loadOptional<typeof LibStorage>("@aws-sdk/lib-storage", "an upload to object storage");

/**
 * Lets `write` make a file, and uploads it.
 * @param etag of the object that is replaced; default: whichever there is, or none
 * @returns what `write` returns @throws what it throws; ObjectChanged, ObjectStorageError
 */
export const throughUpload = <Result>(
  address: string,
  write: (temporary: string) => Promise<Result>,
  etag?: string,
): Promise<Result> =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, objectName(address));
    const result = await writeTemporary(() => write(path));
    await uploadFile(path, address, etag);
    return result;
  });

/** Uploads a file, in parts where it is large. An upload that fails or is interrupted leaves no parts behind. @param etag as above */
export async function uploadFile(path: string, address: string, etag?: string): Promise<void> {
  const { size } = await stat(path);
  const partSize = Math.max(smallestPart, Math.ceil(size / mostParts));
  const end = new AbortController();
  const signal = transferSignal(end.signal);
  await request(address, transferSignal(), async (client, place, { AbortMultipartUploadCommand }) => {
    const { Upload } = loadUploads();
    // lib-storage sends all other parts after one has failed, and returns from an abort before the server knows of it.
    const send = async (command: Parameters<S3Client["send"]>[0]) => {
      if (command instanceof AbortMultipartUploadCommand) return client.send(command).catch(() => {});
      return client.send(command, { abortSignal: signal }).catch((error: unknown) => {
        end.abort(error);
        throw error;
      });
    };
    const guarded = Object.create(client, { send: { value: send } }) as S3Client;
    const params = { ...place, Body: createReadStream(path, { highWaterMark: 2 ** 20 }), IfMatch: etag };
    await new Upload({ client: guarded, params, partSize }).done();
  });
}

/** Writes a small object where there is none. @returns whether there was none @throws ObjectStorageError */
export const createObject = (address: string): Promise<boolean> =>
  request(address, transferSignal(), async (client, place, { PutObjectCommand }) => {
    const content = randomUUID();
    try {
      await client.send(new PutObjectCommand({ ...place, Body: content, IfNoneMatch: "*" }));
      return true;
    } catch (error) {
      const { name = "" } = error as { readonly name?: string };
      if (!["PreconditionFailed", "ConditionalRequestConflict"].includes(name)) throw error;
      // It is ours where the answer to a first attempt was lost.
      return (await readRange(address, 0, content.length)).bytes.toString() === content;
    }
  });

/** Refuses a server that overwrites whatever is there: asks it to replace what is not. @throws ObjectStorageError */
export async function checkIfMatch(address: string): Promise<void> {
  const probe = `${address}.${randomUUID()}`;
  const replacing = request(probe, transferSignal(), (client, place, { PutObjectCommand }) =>
    client.send(new PutObjectCommand({ ...place, Body: "-", IfMatch: '"-"' })),
  );
  if ((await replacing.catch(() => undefined)) === undefined) return;
  await removeObject(probe);
  throw new ObjectStorageError(
    `${address}: the server overwrites what others write at the same time (it ignores If-Match). Copy the object into a file, and name that.`,
  );
}

export const removeObject = (address: string): Promise<void> =>
  request(address, new AbortController().signal, async (client, place, { DeleteObjectCommand }) => {
    await client.send(new DeleteObjectCommand(place));
  });

/** Refuses an address that cannot be written, before any work: begins an upload and removes it. @throws ObjectStorageError */
export const checkWritable = (address: string): Promise<void> =>
  request(address, transferSignal(), async (client, place, sdk) => {
    loadUploads();
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(place));
    if (UploadId === undefined) throw notS3();
    await client.send(new sdk.AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => {});
  });
