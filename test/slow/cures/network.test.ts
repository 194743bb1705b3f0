/** Messages on downloads, against a local server: each names a cure, which is applied and works. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { sendBody, startHubServer } from "../../encoder/hub-server.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { type Case, claimCures } from "./cases.js";

const model = makeOracleModel("encoder.folded.onnx");
const files = Object.fromEntries(
  readdirSync(model, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(model, name)).isFile())
    .map((name) => [name, readFileSync(join(model, name))]),
);
const { "onnx/model.onnx": _, ...withoutGraph } = files;
const repository = { commit: "a".repeat(40), files };
const hub = await startHubServer({
  "pearl/oracle": repository,
  "pearl/gated": repository,
  "pearl/altered": repository,
  "pearl/large": repository,
  "pearl/no-graph": { ...repository, files: withoutGraph },
});
hub.interceptHub = (request, response) => {
  const { url = "", headers } = request;
  if (url.startsWith("/chu-data-lab/")) response.end("id,title\n1,Acme\n");
  else if (/pearl\/large.*\/config\.json/.test(url)) sendBody(request, response, Buffer.alloc(2 ** 24 + 1));
  else if (url.includes("pearl/gated") && headers.authorization !== "Bearer mine")
    response.writeHead(401).end();
  else return false;
  return true;
};
let altered = false;
hub.interceptStorage = (request, response, body) => {
  if (altered || body === undefined || !request.url?.includes("pearl/altered")) return false;
  altered = true;
  sendBody(request, response, Buffer.alloc(body.length));
  return true;
};
const busy = await startHubServer({});
busy.interceptHub = (_, response) => Boolean(response.writeHead(503, { "retry-after": "0" }).end());
afterAll(() => Promise.all([hub.close(), busy.close()]));

const nowhere = "http://127.0.0.1:65535";
const encode = (id: string, endpoint = hub.endpoint): string =>
  `HF_HOME=home HF_ENDPOINT=${endpoint} pearl encode in.txt --model ${id} -o out.jsonl -q`;
const data = (endpoint: string): string => `PEARL_DATA_ENDPOINT=${endpoint} pearl data autofj --data d -q`;
const networkCase = (wrong: string, says: string, cured: string): Case => ({ files: {}, wrong, says, cured });

const models: Readonly<Record<string, Case>> = {
  "a hub that cannot be reached": networkCase(
    encode("pearl/oracle", nowhere),
    "Check the network, set HF_ENDPOINT to a mirror, or copy the model's folder",
    `${encode("pearl/oracle")} && cp -rL home/hub/models--pearl--oracle/snapshots/* copied && ` +
      "pearl encode in.txt --model ./copied -o out.jsonl -q",
  ),
  "a hub's address without https://": networkCase(
    encode("pearl/oracle", hub.endpoint.replace("http://", "")),
    "is not a web address. Write it with https:// in front.",
    encode("pearl/oracle"),
  ),
  "a hub that is busy": networkCase(
    encode("pearl/oracle", busy.endpoint),
    "also after retries. Try later, or set HF_ENDPOINT to a mirror.",
    encode("pearl/oracle"),
  ),
  "a network that is forbidden": networkCase(
    `export HF_HUB_OFFLINE=1; ${encode("pearl/oracle")}`,
    "HF_HUB_OFFLINE forbids the network. Unset it,",
    `unset HF_HUB_OFFLINE; ${encode("pearl/oracle")} && HF_HUB_OFFLINE=1 ${encode("pearl/oracle")}`,
  ),
  "a mistyped id": networkCase(
    encode("pearl/orcale"),
    "Check the spelling of the id.",
    encode("pearl/oracle"),
  ),
  "a gated model": networkCase(
    encode("pearl/gated"),
    "set HF_TOKEN to a token that may read it",
    `HF_TOKEN=mine ${encode("pearl/gated")}`,
  ),
  "a token without the right": networkCase(
    `HF_TOKEN=other ${encode("pearl/gated")}`,
    "with the token from HF_TOKEN. Check the spelling and the token's rights",
    `HF_TOKEN=mine ${encode("pearl/gated")}`,
  ),
  "a model without a graph": networkCase(
    encode("pearl/no-graph"),
    "Take one that has, such as",
    encode("pearl/oracle"),
  ),
  "a configuration that is too large": networkCase(
    encode("pearl/large"),
    "Check the id and HF_ENDPOINT, or take another model.",
    encode("pearl/oracle"),
  ),
  "a cache that is a file": networkCase(
    encode("pearl/oracle").replace("HF_HOME=home", "HF_HOME=in.txt"),
    "Make room or set HF_HOME to a folder that can be written.",
    encode("pearl/oracle"),
  ),
  "a file that a proxy altered": networkCase(
    encode("pearl/altered"),
    "It was removed. Try again;",
    encode("pearl/altered"),
  ),
};

const tables: Readonly<Record<string, Case>> = {
  "a server of data that cannot be reached": networkCase(
    data(nowhere),
    "or name a mirror with PEARL_DATA_ENDPOINT, and run it again",
    data(hub.endpoint),
  ),
  "a server of data that is busy": networkCase(
    data(busy.endpoint),
    "Try again later, or name a mirror with PEARL_DATA_ENDPOINT.",
    data(hub.endpoint),
  ),
  "a server that has other data": networkCase(
    data(`${hub.endpoint}/other`),
    "which must serve GitHub's raw files.",
    data(hub.endpoint),
  ),
};

claimCures({ ...models, ...tables }, { files: { "in.txt": "t200 t201\nt300\n" } });
