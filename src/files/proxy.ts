/** Requests through the proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name: Node 20's own ignore them. */
import type { ProxyAgent } from "undici";
import { ArgumentError } from "../errors.js";

const agents = new Map<string, ProxyAgent>();

/** As fetch, and as curl reads the variables: lower case first. @throws ArgumentError for a proxy of another kind */
export async function fetchByProxy(url: string | URL, init: RequestInit): Promise<Response> {
  const dispatcher = await proxyAgent(new URL(url));
  if (dispatcher === undefined) return fetch(url, init);
  const undici = await import("undici");
  const answer = undici.fetch(url, { ...(init as object), dispatcher }) as unknown as Promise<Response>;
  return answer.catch((error) => {
    // The refusal of a proxy lies one level deeper than other causes.
    throw error.cause?.cause ? new TypeError(error.message, { cause: error.cause.cause }) : error;
  });
}

/** What sends requests to `url` through their proxy, if they have one. @throws ArgumentError */
export async function proxyAgent(url: URL): Promise<ProxyAgent | undefined> {
  const uri = proxyFor(url);
  if (uri === undefined) return undefined;
  const { ProxyAgent } = await import("undici");
  const agent = agents.get(uri) ?? new ProxyAgent({ uri, proxyTunnel: false });
  agents.set(uri, agent);
  return agent;
}

/** The address of the proxy for requests to `url`, if there is one. @throws ArgumentError */
export function proxyFor(url: URL, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const read = (name: string) => environment[name.toLowerCase()] ?? environment[name];
  const name = `${url.protocol.slice(0, -1).toUpperCase()}_PROXY`;
  const value = read(name)?.trim();
  if (!value || (read("NO_PROXY") ?? "").split(/[\s,]+/).some((entry) => covers(entry, url)))
    return undefined;
  const address = value.includes("://") ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:/i.test(address)) return address;
  // The value may hold a password.
  throw new ArgumentError(
    `${name} is not the address of an HTTP proxy. Set it to http://HOST:PORT, or unset it.`,
  );
}

/** Whether an entry of NO_PROXY is the host or its domain: example.org, .example.org, *.example.org, host:8080, *. */
function covers(entry: string, { hostname, port, protocol }: URL): boolean {
  const [, domain, wanted] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) as RegExpExecArray;
  if (wanted !== undefined && wanted !== (port || (protocol === "https:" ? "443" : "80"))) return false;
  return entry === "*" || (domain !== "" && (hostname === domain || hostname.endsWith(`.${domain}`)));
}
