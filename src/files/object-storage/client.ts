/** Object storage by the optional AWS SDK: addresses, its client with its own settings and credentials, and failures with a cure. */
import type * as S3 from "@aws-sdk/client-s3";
import { messageOf, ObjectStorageError, PearlError } from "../../errors.js";
import { loadOptional } from "../package.js";
import { proxyAgent } from "../proxy.js";

/** Milliseconds without a connection, and without data, after which a request is given up. */
const [connectMs, silentMs] = [15_000, 60_000];

const clients = new Map<string, Promise<S3.S3Client>>();
let interruption: AbortSignal | undefined;

/** Ends transfers of this process when the signal is aborted; what is uploaded by halves is removed. */
export function endTransfersOn(signal: AbortSignal): void {
  interruption = signal;
}

/** The signal of {@link endTransfersOn}, and others. */
export const transferSignal = (...others: readonly (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any([interruption, ...others].filter((signal) => signal !== undefined));

/** The SDK. @throws MissingDataError where it is not installed */
function loadSdk(): typeof S3 {
  // One warning per process about a Node that it will not support one day is for pearl's makers, not for users.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
  return loadOptional<typeof S3>("@aws-sdk/client-s3", "object storage");
}

/** The client for the settings in the environment as they are now. */
function openClient(): Promise<S3.S3Client> {
  const settings = JSON.stringify(Object.entries(process.env).filter(([name]) => /^AWS_|^HOME$/.test(name)));
  const found = clients.get(settings) ?? createClient();
  clients.set(settings, found);
  return found;
}

async function createClient(): Promise<S3.S3Client> {
  const { S3Client } = loadSdk();
  const { config } = new S3Client({});
  // Servers other than Amazon's have no regions, and Amazon's name the right one.
  const region = await config.region().catch(() => "us-east-1");
  const { serviceConfiguredEndpoint } = config as { serviceConfiguredEndpoint?: () => Promise<unknown> };
  const client = new S3Client({
    region,
    followRegionRedirects: true,
    // Amazon's servers have a host for each bucket, others rarely do.
    forcePathStyle: (await serviceConfiguredEndpoint?.()) !== undefined,
    requestHandler: { connectionTimeout: connectMs, socketTimeout: silentMs },
  });
  heedProxies(client.config.requestHandler);
  return client;
}

/** Sends a request by its proxy, if it has one: the SDK knows none. */
function heedProxies(handler: S3.S3Client["config"]["requestHandler"]): void {
  const direct = handler.handle.bind(handler);
  handler.handle = async (request, options: { readonly abortSignal?: unknown } = {}) => {
    const { protocol, hostname, port, method, body, query = {} } = request;
    const origin = `${protocol}//${hostname}${port ? `:${port}` : ""}`;
    const agent = await proxyAgent(new URL(origin));
    if (agent === undefined) return direct(request, options);
    const search = new URLSearchParams();
    for (const [name, values] of Object.entries(query))
      for (const value of [values ?? ""].flat() as string[]) search.append(name, value);
    // undici refuses to wait for the server's "continue".
    const { Expect: _, ...headers } = request.headers;
    const signal = options.abortSignal as AbortSignal | undefined;
    const path = `${request.path}?${search.toString().replaceAll("+", "%20")}`;
    const waits = { headersTimeout: silentMs, bodyTimeout: silentMs };
    const sent = agent.request({ ...waits, origin, path, method, headers, body, signal });
    // The SDK does not know undici's errors: a proxy closes a connection that was idle.
    const response = await sent.catch((error) => Promise.reject(Object.assign(error, { $retryable: {} })));
    return { response } as never;
  };
}

/** Runs requests on an address. @throws ObjectStorageError with a cure; the reason of an aborted signal */
export async function request<Result>(
  address: string,
  signal: AbortSignal,
  work: (client: S3.S3Client, place: { Bucket: string; Key: string }, sdk: typeof S3) => Promise<Result>,
): Promise<Result> {
  const { bucket, key } = parseObjectAddress(address);
  const sdk = loadSdk();
  signal.throwIfAborted();
  try {
    return await work(await openClient(), { Bucket: bucket, Key: key }, sdk);
  } catch (error) {
    signal.throwIfAborted();
    throw storageTrouble(error, address, bucket);
  }
}

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

/** Codes of an object that is not the one that was read. */
const changed = ["PreconditionFailed", "ConditionalRequestConflict"];
const unreachable = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"];

/** @param address the object or folder that a request was about */
function storageTrouble(error: unknown, address: string, bucket: string): PearlError {
  if (error instanceof PearlError) return error;
  const { name = "", code = "", $metadata } = error as StorageError;
  const status = $metadata?.httpStatusCode;
  const message = messageOf(error).split("\n", 1)[0];
  const isUnreachable = unreachable.includes(code) || /CERT|SIGNATURE|ERR_INVALID_URL/.test(code);
  const isLogin = /^(Credentials|Token)Provider|^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken)$/;
  const isOther = name === "NotS3" || (status !== undefined && /pars|deserial|unexpected/i.test(message));
  const isLost = status === undefined || status >= 500 || status === 429;
  const troubles: readonly (readonly [boolean, string, typeof ObjectStorageError?])[] = [
    [name === "NoSuchKey", "there is no such object. Check the bucket and the key.", NoSuchObject],
    [name === "NoSuchBucket", `there is no bucket ${bucket}. Check its name and AWS_ENDPOINT_URL.`],
    [
      isLogin.test(name),
      `no valid credentials (${message}). Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or choose a profile with AWS_PROFILE.`,
    ],
    [
      /^(ExpiredToken|TokenRefreshRequired|RequestExpired)/.test(name),
      `the credentials have expired (${message}). Log in again, such as with \`aws sso login\`.`,
    ],
    [
      status === 403,
      `the server denies access (${message}). Ask its owner for s3:GetObject and s3:ListBucket to read and s3:PutObject to write, or choose other credentials with AWS_PROFILE.`,
    ],
    [/^Proxy/.test(message), `the proxy refuses (${message}). Check HTTPS_PROXY and NO_PROXY.`],
    [isUnreachable, `no server answers (${message}). Check AWS_ENDPOINT_URL and the network.`],
    [changed.includes(name), "the object changed while it was read. Run the command again.", ObjectChanged],
    [isOther, `the server does not speak S3 (HTTP status ${status}). Correct AWS_ENDPOINT_URL.`],
    [isLost, `the connection was lost or the server is busy (${message}). Run the command once more.`],
  ];
  const [, text, Kind = ObjectStorageError] = troubles.find(([applies]) => applies) ?? [true, message];
  return new Kind(`${address}: ${text}`, { cause: error });
}

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
