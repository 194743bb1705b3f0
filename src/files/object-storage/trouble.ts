/** Failures of object storage as one line that names the address and the cure. */
import { messageOf, ObjectStorageError, PearlError } from "../../errors.js";

/** There is no such object. */
export class NoSuchObject extends ObjectStorageError {}

/** The object is not the one that was read. */
export class ObjectChanged extends ObjectStorageError {}

/** What the SDK adds to an error. */
interface StorageError extends Error {
  /** A code of the system, such as ECONNREFUSED. */
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** The answer of a server that does not speak S3. */
export const notS3 = (): Error =>
  Object.assign(new Error("not S3"), { name: "NotS3", $metadata: { httpStatusCode: 200 } });

const unreachable = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"];

/** @param address the object or folder that a request was about */
export function storageTrouble(error: unknown, address: string, bucket: string): PearlError {
  if (error instanceof PearlError) return error;
  const { name = "", code = "", $metadata } = error as StorageError;
  const status = $metadata?.httpStatusCode;
  const message = messageOf(error).split("\n", 1)[0];
  const trouble = (text: string, Kind = ObjectStorageError): PearlError =>
    new Kind(`${address}: ${text}`, { cause: error });
  if (name === "NoSuchKey")
    return trouble("there is no such object. Check the bucket and the key.", NoSuchObject);
  if (name === "NoSuchBucket")
    return trouble(
      `there is no bucket ${bucket}. Check its name, and the server's address in AWS_ENDPOINT_URL.`,
    );
  if (/^(Credentials|Token)Provider|^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken)$/.test(name))
    return trouble(
      `no valid credentials (${message}). Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose a profile with AWS_PROFILE.`,
    );
  if (/^(ExpiredToken|TokenRefreshRequired|RequestExpired)/.test(name))
    return trouble(
      `the credentials have expired (${message}). Log in again, such as with \`aws sso login\`.`,
    );
  if (status === 403)
    return trouble(
      `the server denies access (${message}). Ask its owner for s3:GetObject and s3:ListBucket to read and s3:PutObject to write, or choose other credentials with AWS_PROFILE.`,
    );
  if (/^Proxy/.test(message))
    return trouble(`the proxy refuses (${message}). Check HTTPS_PROXY and NO_PROXY.`);
  if (unreachable.includes(code) || /CERT|SIGNATURE|ERR_INVALID_URL/.test(code))
    return trouble(`no server answers (${message}). Check AWS_ENDPOINT_URL and the network.`);
  if (name === "PreconditionFailed" || name === "ConditionalRequestConflict")
    return trouble("the object changed while it was read. Run the command again.", ObjectChanged);
  if (name === "NotS3" || (status !== undefined && /pars|deserial|unexpected/i.test(message)))
    return trouble(`the server does not speak S3 (HTTP status ${status}). Correct AWS_ENDPOINT_URL.`);
  if (status === undefined || status >= 500 || status === 429)
    return trouble(`the connection was lost or the server is busy (${message}). Run the command once more.`);
  return trouble(message);
}
