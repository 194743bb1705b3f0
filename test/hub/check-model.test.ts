/** Models are compared with their checksums before they are used; a user's own changes can be accepted. */
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelError } from "../../src/errors.js";
import { sealFolder } from "../../src/files/sealed-folder.js";
import { checkModel } from "../../src/hub/check-model.js";
import { importModel } from "../../src/hub/convert/import-model.js";
import { downloadModel } from "../../src/hub/download.js";
import { locateModel } from "../../src/hub/locate.js";
import { hubSettings } from "../../src/hub/settings.js";
import { defaultScorer } from "../../src/match/scorer.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { writeModel } from "../../src/onnx/io/file.js";
import { tensor } from "../../src/onnx/tensor.js";
import { editJson, fixtureModel } from "../encoder/fixture-models.js";
import { type HubServer, sha256, startHubServer } from "../encoder/hub-server.js";
import { setEnvironment } from "../setup/environment.js";
import { newFolder } from "../setup/new-folder.js";

const root = newFolder();

/** Changes one bit in the middle of a file. */
function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync(path, bytes);
}

describe("the models that come with pearl", () => {
  it("are as they were built", async () => {
    expect(await checkModel("models/pearl-mini", "all")).toBe(3);
    expect(await checkModel("models/pearl-strings", "all")).toBe(2);
    expect(defaultScorer().views.length).toBeGreaterThan(5);
  });
});

describe("a model folder that pearl wrote", () => {
  const folder = join(root, "own");
  beforeEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await importModel(fixtureModel("bert").folder, folder);
  });

  it("may get another name and another card", async () => {
    editJson(join(folder, "config.json"), { name: "my model", license: "mit" });
    appendFileSync(join(folder, "README.md"), "More about it.\n");
    await expect(locateModel(folder)).resolves.toBe(folder);
  });

  it("is refused with another graph, tokenizer or setting, until the change is accepted", async () => {
    const changes: [string, (path: string) => void][] = [
      ["onnx/model.onnx", flip],
      ["tokenizer.json", flip],
      ["config.json", (path) => editJson(path, { num_attention_heads: 1 })],
      ["vocab.txt", rmSync],
    ];
    for (const [name, change] of changes) {
      change(join(folder, name));
      await expect(locateModel(folder)).rejects.toThrow(ModelError);
      await expect(locateModel(folder)).rejects.toThrow(
        new RegExp(`${name} is (damaged|missing).*models check \\S+ --accept$`),
      );
      await sealFolder(folder);
      await expect(locateModel(folder)).resolves.toBe(folder);
    }
  });

  it("is refused with another file behind a link, after the links are accepted", async () => {
    const [graph, elsewhere] = [join(folder, "onnx/model.onnx"), join(root, "elsewhere.onnx")];
    renameSync(graph, elsewhere);
    symlinkSync(elsewhere, graph);
    await sealFolder(folder);
    flip(elsewhere);
    await expect(locateModel(folder)).rejects.toThrow("model.onnx is damaged");
  });

  it("is unknown, not damaged, where another program wrote it, also with a link to nothing", async () => {
    rmSync(join(folder, "checksums.json"));
    expect(await checkModel(folder)).toBe(0);
    symlinkSync("nowhere.json", join(folder, "link.json"));
    expect(await checkModel(folder)).toBe(0);
  });
});

describe("a model in the hub's cache", () => {
  const graph = Buffer.alloc(3_000_000, 7);
  const id = "someone/model";
  let server: HubServer;
  let home: string;
  let restore: () => void;
  beforeEach(async () => {
    const files = {
      "config.json": '{"model_type":"bert"}',
      "tokenizer.json": "{}",
      "onnx/model.onnx": graph,
    };
    server = await startHubServer({ [id]: { commit: "6".repeat(40), files } });
    home = newFolder();
    restore = setEnvironment({ HF_HOME: home, HF_ENDPOINT: server.endpoint });
  });
  afterEach(async () => {
    restore();
    await server.close();
  });

  it("is compared with the checksums that name its blobs, large ones once per change", async () => {
    const folder = await locateModel(id);
    const blob = join(home, "hub", "models--someone--model", "blobs", sha256(graph));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await checkModel(folder)).toBe(3);
    const [memory] = readdirSync(join(home, "pearl", "checked"));
    expect(readFileSync(join(home, "pearl", "checked", memory), "utf8")).toContain(sha256(graph));
    flip(blob);
    await expect(locateModel(id)).rejects.toThrow(
      /model\.onnx is damaged.*Remove \S+, and pearl downloads it again/,
    );
    rmSync(blob);
    expect(readFileSync(join(await locateModel(id), "onnx/model.onnx")).equals(graph)).toBe(true);
  });

  it("is compared with its weights beside the graph, whatever their name", async () => {
    const source = join(home, "weights.onnx");
    const g = new GraphBuilder();
    g.output("y", g.add("Identity", [g.weight("w", tensor("float32", [512], new Float32Array(512)))]));
    writeModel(g.model(), source, { externalData: "always" });
    const graphFile = readFileSync(source)
      .toString("latin1")
      .replaceAll("weights.onnx_data", "weights.onnx.blob");
    const { files } = server.repositories.get(id)!;
    files["onnx/model.onnx"] = Buffer.from(graphFile, "latin1");
    files["onnx/weights.onnx.blob"] = readFileSync(`${source}_data`);
    const folder = await downloadModel(id);
    expect(await checkModel(folder, "all")).toBe(4);
  });

  it("takes no settings of gigabytes, announced or not", async () => {
    const settings = hubSettings();
    const limit = /config\.json: the server sends .* at most 16 MB/;
    server.interceptHub = (_, response) => {
      response.writeHead(200, { "content-length": 3e9 }).write("{");
      return true;
    };
    await expect(downloadModel(id, { settings })).rejects.toThrow(limit);
    server.interceptHub = (_, response) => {
      response.writeHead(200);
      const part = Buffer.alloc(1 << 20, " ");
      const send = (): void => void response.write(part, () => setImmediate(send));
      send();
      response.on("error", () => {});
      return true;
    };
    await expect(downloadModel(id, { settings })).rejects.toThrow(limit);
    const blobs = join(settings.cacheFolder, "models--someone--model", "blobs");
    expect(readdirSync(blobs)).toEqual([]);
  });
});
