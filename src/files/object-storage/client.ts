/** The client of object storage: the optional AWS SDK with its own chain of settings and credentials. */
import type * as S3 from "@aws-sdk/client-s3";
import { loadOptional } from "../package.js";
import { proxyAgent } from "../proxy.js";
import { parseObjectAddress } from "./address.js";
import { storageTrouble } from "./trouble.js";

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
