/** Addresses in object storage: `s3://bucket/key` names an object, and with a key that others begin with a folder. */
import { ObjectStorageError } from "../../errors.js";

export { isObjectAddress } from "../place.js";

/** @throws ObjectStorageError where the bucket or the key is missing */
export function parseObjectAddress(address: string): { readonly bucket: string; readonly key: string } {
  const [, bucket, key] = /^s3:\/\/([^/]*)\/?(.*?)\/*$/is.exec(address) ?? [];
  if (/[:@]/.test(bucket ?? ""))
    throw new ObjectStorageError(
      `${address}: keys do not belong into an address. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and write s3://bucket/key.`,
    );
  if (bucket && key) return { bucket, key };
  throw new ObjectStorageError(`${address}: the address is incomplete. Write s3://bucket/key.`);
}

/** The last part of the key. */
export const objectName = (address: string): string => parseObjectAddress(address).key.replace(/^.*\//s, "");
