/** Addresses in object storage: `s3://bucket/key` names an object, and with a key that others begin with a folder. */
import { ObjectStorageError } from "../../errors.js";

/** Whether a text is an address in object storage and not a file's name. */
export const isObjectAddress = (text: string): boolean => /^s3:\/\//i.test(text);

/** @throws ObjectStorageError where the bucket or the key is missing */
export function parseObjectAddress(address: string): { readonly bucket: string; readonly key: string } {
  const [, bucket, key] = /^s3:\/\/([^/]*)\/?(.*?)\/*$/is.exec(address) ?? [];
  if (bucket && key) return { bucket, key };
  throw new ObjectStorageError(`${address}: the address is incomplete. Write s3://bucket/key.`);
}

/** The last part of the key. */
export const objectName = (address: string): string => parseObjectAddress(address).key.replace(/^.*\//s, "");
