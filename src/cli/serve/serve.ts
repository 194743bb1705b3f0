/** `pearl serve`: answers over HTTP what the other commands answer, until a signal ends it. */
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { basename, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { messageOf, PearlError, UsageError } from "../../errors.js";
import { isPostgresAddress } from "../../files/place.js";
import { isLoopback } from "../../serve/loopback.js";
import type { Server } from "../../serve/server.js";
import type { ServedIndex } from "../../serve/service.js";
import { stemOf } from "../../table/format.js";
import { command, type OptionsOf } from "../command.js";
import { aborted, expectInterruption } from "../interruption.js";
import {
  choice,
  option,
  portNumber,
  positiveInteger,
  positiveNumber,
  repeatable,
  shared,
} from "../options.js";
import { loadEncoder, type Session } from "../session.js";
import { openIndex, sayState } from "../use/index-table.js";

/** Parser of `--cors`, repeatable. Browsers send an origin in small letters, without a path. */
function origins(text: string, previous: readonly string[] | undefined): string[] {
  if (text === "*" || /^[a-z][a-z\d+.-]*:\/\/[^\sA-Z/?#@]+$/.test(text)) return repeatable(text, previous);
  throw new InvalidArgumentError(
    "It must be an origin, such as https://example.org or http://localhost:3000, or *.",
  );
}

const options = [
  option("-m, --model <model>", "embedded model, folder or hub id (default: the indexes' model)"),
  option("--host <address>", "address to listen on", (text) => text, "127.0.0.1"),
  option("--port <n>", "port to listen on; 0 takes a free one", portNumber, 8080),
  option("--api-key-file <file>", "a file with the key that requests must send (default: $PEARL_API_KEY)"),
  option(
    "--cors <origin>",
    "allow pages of this origin (https://example.org), or all (*); repeatable",
    origins,
  ),
  option("--max-body <megabytes>", "largest body of a request", positiveNumber, 8),
  option("--max-items <n>", "most phrases or rows of a request", positiveInteger, 2048),
  option("--max-characters <n>", "longest phrase or cell", positiveInteger, 8192),
  option("--queue <n>", "most phrases that wait; more are refused", positiveInteger, 16_384),
  option("--request-timeout <seconds>", "time in which a request must arrive", positiveNumber, 30),
  choice("--log <level>", "what is logged on standard error, as JSON", ["silent", "error", "info"], "error"),
  ...shared.run,
  shared.int8,
] as const;

type ServeOptions = OptionsOf<typeof options>;

export default command({
  name: "serve",
  summary: "answer over HTTP: embeddings as OpenAI's API gives them, matches, types, similarities",
  arguments: [
    ["[indexes...]", "indexes made by `pearl index build`: to search, match and reconcile against"],
  ],
  options,
  examples: [
    ["pearl serve", "embeddings on http://127.0.0.1:8080/v1"],
    ["pearl serve companies.index --port 9000", "match rows with an index, too"],
    ["pearl serve --host 0.0.0.0 --api-key-file key.txt", "for other machines"],
  ],
  run: async ([paths], options, session) => {
    const apiKey = await keyOf(options.apiKeyFile);
    const { createService, serveIndex } = await import("../../serve/service.js");
    const { createServer } = await import("../../serve/server.js");
    const indexes = new Map<string, ServedIndex>();
    for (const [name, path] of namedPaths(paths)) {
      const index = await openIndex(path, session);
      await sayState(index, session);
      indexes.set(name, await serveIndex(index));
    }
    const own = [...indexes.values()].map(({ index }) => index.layout.model?.name).find(Boolean);
    const model = options.model ?? own;
    const encoder = await loadEncoder({ ...options, model }, session);
    for (const { index } of indexes.values()) index.checkModel(await encoder.fingerprint());
    const { maxItems: items, maxCharacters: characters, queue } = options;
    const limits = { items, characters, queue, bodyBytes: Math.round(options.maxBody * 1e6) };
    const service = createService(encoder, indexes, limits);
    const modelNames = [encoder.model.name, ...(model === undefined ? [] : [model])];
    const server = await createServer(service, {
      modelNames,
      apiKey,
      hosts: apiKey === undefined && isLoopback(options.host) ? "local" : "all",
      arrivalSeconds: options.requestTimeout,
      origins: options.cors,
      log: options.log,
    });
    session.atEnd(() => server.close());
    await listen(server, options);
    announce(server, options, { encoder, indexes, apiKey }, session);
    await aborted(session.signal);
    session.say("stopping: requests in progress are answered first");
    await server.close();
    expectInterruption();
  },
});

/** Indexes by the names that requests give: `companies` for `data/companies.index`. */
function namedPaths(paths: readonly string[]): Map<string, string> {
  const named = new Map<string, string>();
  for (const path of paths) {
    // The path may be relative, such as `.`
    const name = isPostgresAddress(path) ? stemOf(path) : basename(resolve(path)).replace(/\.index$/, "");
    if (named.has(name)) throw new UsageError(`two indexes have the name ${name}: rename one of the folders`);
    named.set(name, path);
  }
  return named;
}

async function keyOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) {
    const key = process.env.PEARL_API_KEY?.trim() || undefined;
    return key && sendable(key, "PEARL_API_KEY");
  }
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new PearlError(`${file}: the API key cannot be read (${messageOf(error)}). Check the name.`);
  });
  const key = text.trim();
  if (key !== "") return sendable(key, file);
  throw new PearlError(`${file} is empty. Write a key into it, as \`openssl rand -hex 32 > ${file}\` does.`);
}

/** Clients send other characters in different ways, or not at all. @throws PearlError */
function sendable(key: string, place: string): string {
  if (/^[ -~]+$/.test(key)) return key;
  throw new PearlError(
    `${place}: an API key is one line of ASCII characters. Make one with \`openssl rand -hex 32\`.`,
  );
}

async function listen(server: Server, { host, port }: ServeOptions): Promise<void> {
  await server.listen({ host, port }).catch((error: unknown) => {
    const { code } = error as { readonly code?: string };
    if (code === "EADDRINUSE")
      throw new PearlError(
        `port ${port} of ${host} is in use. Choose another with --port; 0 takes a free one.`,
      );
    throw new PearlError(`cannot listen on ${host}, port ${port}: ${messageOf(error)}`);
  });
}

interface Serving {
  readonly encoder: PhraseEncoder;
  readonly indexes: ReadonlyMap<string, ServedIndex>;
  readonly apiKey: string | undefined;
}

function announce(
  server: Server,
  { host }: ServeOptions,
  { encoder, indexes, apiKey }: Serving,
  session: Session,
): void {
  const names = [...indexes.keys()]
    .map((index) => `${index} (/reconcile/${encodeURIComponent(index)})`)
    .join(", ");
  session.sayModel(encoder);
  if (names !== "") session.say(`indexes: ${names}`);
  if (!isLoopback(host) && apiKey === undefined)
    session.say(
      `warning: ${host} can be reached from other machines, and there is no API key (--api-key-file)`,
    );
  const { port } = server.server.address() as AddressInfo;
  session.print(`listening on http://${host.includes(":") ? `[${host}]` : host}:${port}`);
}
