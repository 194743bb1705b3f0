/** Objects and folders in object storage, against s3rver. */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { endTransfersOn, parseObjectAddress } from "../../../src/files/object-storage/client.js";
import { fetchFolder } from "../../../src/files/object-storage/folder.js";
import { findObject, objectState, readObject, readRange } from "../../../src/files/object-storage/read.js";
import { checkWritable, createObject, uploadFile } from "../../../src/files/object-storage/write.js";
import { replaceFile, writeWholeFile } from "../../../src/files/whole-file.js";
import { checkIsFree, writeWholeFolder } from "../../../src/files/whole-folder.js";
import { withEnvironment } from "../../setup/environment.js";
import { newFolder } from "../../setup/new-folder.js";
import { bucket, startObjectServer } from "./server.js";

const server = await startObjectServer();
const folder = newFolder();
beforeEach(() => {
  server.fault = () => undefined;
  server.requests.length = 0;
});

/** More than one range, and more than one part of an upload. */
const large = randomBytes(8 * 2 ** 20 + 5);
const file = join(folder, "large");
writeFileSync(file, large);
await writeWholeFile(`${bucket}/kept`, "old");
await uploadFile(file, `${bucket}/large`);

async function bytesOf(address: string, from?: number, to?: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readObject(address, { from, to })) parts.push(part);
  return Buffer.concat(parts);
}

describe("an address", () => {
  it("has a bucket and a key", () => {
    expect(parseObjectAddress("s3://b/a/c.csv")).toEqual({ bucket: "b", key: "a/c.csv" });
    expect(parseObjectAddress("S3://b/model/")).toEqual({ bucket: "b", key: "model" });
    for (const odd of ["s3://", "s3://b", "s3://b/", "s3:///key"])
      expect(() => parseObjectAddress(odd)).toThrow("the address is incomplete. Write s3://bucket/key.");
  });
});

describe("reading", () => {
  it("gives all bytes in order", async () => {
    expect((await objectState(`${bucket}/large`)).size).toBe(large.length);
    expect((await bytesOf(`${bucket}/large`)).equals(large)).toBe(true);
  });

  it("gives the bytes between two places", async () => {
    const [from, to] = [3, large.length - 1];
    expect((await bytesOf(`${bucket}/large`, from, to)).equals(large.subarray(from, to))).toBe(true);
  });

  it("reads a range again where the connection breaks in its middle", async () => {
    let cuts = 0;
    server.fault = (request) => (request.startsWith("GET") && cuts++ < 2 ? "cut" : undefined);
    expect((await bytesOf(`${bucket}/large`)).equals(large)).toBe(true);
    expect(cuts).toBeGreaterThan(3);
  });

  it("gives nothing of an empty object", async () => {
    await writeWholeFile(`${bucket}/empty`, "");
    expect(await bytesOf(`${bucket}/empty`)).toHaveLength(0);
    expect((await objectState(`${bucket}/empty`)).size).toBe(0);
  });

  it("ends with an error where the object is replaced meanwhile", async () => {
    const { etag } = await objectState(`${bucket}/kept`);
    await writeWholeFile(`${bucket}/kept`, "something else");
    await expect(readRange(`${bucket}/kept`, 0, 3, etag)).rejects.toThrow(
      "the object changed while it was read. Run the command again.",
    );
  });

  it("goes through the proxies of the environment", async () => {
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      const { method, url = "", headers } = request;
      asked.push(`${method} ${url}`);
      const forwarded = send(url, { method, headers, agent: false }, (answer) => {
        answer.pipe(response.writeHead(answer.statusCode!, answer.headers));
      });
      request.pipe(forwarded);
    });
    proxy.on("connect", ({ url }, socket) => {
      asked.push(`CONNECT ${url}`);
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const proxies = { HTTP_PROXY: address, HTTPS_PROXY: address };
    await withEnvironment({ ...proxies, NO_PROXY: "127.0.0.1" }, () => objectState(`${bucket}/large`));
    expect(asked).toEqual([]);
    await withEnvironment(proxies, async () => {
      await uploadFile(file, `${bucket}/by proxy+1`);
      expect((await bytesOf(`${bucket}/by proxy+1`)).equals(large)).toBe(true);
    });
    expect(asked.length).toBe(server.requests.length - 1);
    expect(asked).toContain(`POST ${process.env.AWS_ENDPOINT_URL}/bucket/by%20proxy%2B1?uploads=`);
    const refused = { ...proxies, AWS_ENDPOINT_URL: "https://storage.example" };
    await expect(withEnvironment(refused, () => objectState(`${bucket}/large`))).rejects.toThrow(
      "the proxy refuses (Proxy response (407) !== 200 when HTTP Tunneling). Check HTTPS_PROXY and NO_PROXY.",
    );
    expect(asked.at(-1)).toBe("CONNECT storage.example:443");
    proxy.closeAllConnections();
    proxy.close();
  });

  it("takes the server's address from a profile as from the environment", async () => {
    const config = join(folder, "config");
    writeFileSync(config, `[default]\nendpoint_url = ${process.env.AWS_ENDPOINT_URL}\n`);
    await withEnvironment({ AWS_ENDPOINT_URL: undefined, AWS_CONFIG_FILE: config }, async () => {
      expect((await objectState(`${bucket}/kept`)).size).toBeGreaterThan(0);
      expect(server.requests).toEqual([expect.stringMatching("^GET /bucket/kept")]);
    });
  });

  it("tells a missing object from a missing bucket", async () => {
    expect(await findObject(`${bucket}/none`)).toBeUndefined();
    await expect(findObject("s3://buckets/none")).rejects.toThrow("there is no bucket buckets.");
    await expect(objectState(`${bucket}/none`)).rejects.toThrow("there is no such object. Check the bucket");
  });
});

describe("writing", () => {
  it("uploads a large file in parts, and leaves none", async () => {
    await uploadFile(file, `${bucket}/parts`);
    expect(server.requests.filter((line) => line.includes("partNumber=")).length).toBe(2);
    expect(server.content("parts")?.equals(large)).toBe(true);
    expect(server.openUploads.size).toBe(0);
  });

  it("keeps the old object, and no parts, where a part is refused", async () => {
    await writeWholeFile(`${bucket}/kept`, "old");
    server.fault = (request) => (request.includes("partNumber=2") ? "denied" : undefined);
    await expect(uploadFile(file, `${bucket}/kept`)).rejects.toThrow("the server denies access");
    expect(server.content("kept")?.toString()).toBe("old");
    expect(server.openUploads.size).toBe(0);
  });

  it("removes what is uploaded by halves when the transfers are ended", async () => {
    const stop = new AbortController();
    endTransfersOn(stop.signal);
    try {
      server.fault = (request) => {
        if (request.includes("partNumber=2")) stop.abort(new Error("stopped"));
        return request.includes("partNumber=2") ? "silent" : undefined;
      };
      await expect(uploadFile(file, `${bucket}/stopped`)).rejects.toThrow("stopped");
      expect(server.requests.filter((line) => line.startsWith("DELETE")).length).toBe(1);
      expect(server.openUploads.size).toBe(0);
      expect(server.content("stopped")).toBeUndefined();
    } finally {
      endTransfersOn(new AbortController().signal);
    }
  });

  it("leaves nothing where the content cannot be made", async () => {
    const fails = replaceFile(`${bucket}/unmade`, async (temporary) => {
      writeFileSync(temporary, "half");
      throw new Error("no more");
    });
    await expect(fails).rejects.toThrow("no more");
    expect(server.content("unmade")).toBeUndefined();
    expect(server.requests).toEqual([]);
  });

  it("finds out before the work that an address cannot be written", async () => {
    await checkWritable(`${bucket}/later`);
    expect(server.content("later")).toBeUndefined();
    expect(server.openUploads.size).toBe(0);
    server.fault = (request) => (request.startsWith("POST") ? "denied" : undefined);
    await expect(checkWritable(`${bucket}/later`)).rejects.toThrow("the server denies access");
  });

  it("lets one of two make an object", async () => {
    expect(await createObject(`${bucket}/one`)).toBe(true);
    const first = server.content("one");
    expect(await createObject(`${bucket}/one`)).toBe(false);
    expect(server.content("one")).toEqual(first);
  });
});

describe("a folder", () => {
  const fill = async (temporary: string): Promise<void> => {
    mkdirSync(join(temporary, "onnx"));
    writeFileSync(join(temporary, "config.json"), "{}");
    writeFileSync(join(temporary, "onnx", "model.onnx"), "graph");
  };

  it("is uploaded whole, and copied once", async () => {
    await writeWholeFolder(`${bucket}/models/small/`, fill);
    expect(server.content("models/small/onnx/model.onnx")?.toString()).toBe("graph");
    expect(server.content("models/small/.pearl-upload")).toBeUndefined();
    const copy = await fetchFolder(`${bucket}/models/small`);
    expect(copy.endsWith("/small")).toBe(true);
    expect(readFileSync(join(copy, "onnx", "model.onnx"), "utf8")).toBe("graph");
    server.requests.length = 0;
    expect(await fetchFolder(`${bucket}/models/small/`)).toBe(copy);
    expect(server.requests.length).toBe(1);
  });

  it("is copied again when an object in it has changed", async () => {
    const before = await fetchFolder(`${bucket}/models/small`);
    await writeWholeFile(`${bucket}/models/small/config.json`, '{"a":1}');
    const after = await fetchFolder(`${bucket}/models/small`);
    expect(after).not.toBe(before);
    expect(readFileSync(join(after, "config.json"), "utf8")).toBe('{"a":1}');
    expect(readFileSync(join(before, "config.json"), "utf8")).toBe("{}");
  });

  it("is not written over another", async () => {
    await expect(writeWholeFolder(`${bucket}/models/small`, fill)).rejects.toThrow(
      "has objects: remove them, or name another folder for the output.",
    );
  });

  it("is written by one of two that begin at once, and the other leaves it whole", async () => {
    const outcomes = await Promise.allSettled(
      ["a", "b"].map((name) =>
        writeWholeFolder(`${bucket}/models/twice`, async (temporary) => {
          writeFileSync(join(temporary, "config.json"), name);
        }),
      ),
    );
    const winners = outcomes.flatMap(({ status }, index) => (status === "fulfilled" ? ["ab"[index]] : []));
    expect(winners).toHaveLength(1);
    expect(server.content("models/twice/config.json")?.toString()).toBe(winners[0]);
    expect(server.content("models/twice/.pearl-upload")).toBeUndefined();
  });

  it("is removed where an upload fails, and no reader takes half of one", async () => {
    let seen: unknown;
    server.fault = (request) => {
      if (!request.startsWith("PUT /bucket/models/half/onnx")) return undefined;
      seen ??= fetchFolder(`${bucket}/models/half`).catch((error: Error) => error.message);
      return "denied";
    };
    await expect(writeWholeFolder(`${bucket}/models/half`, fill)).rejects.toThrow("the server denies access");
    expect(await seen).toMatch("another run is uploading this folder, or was killed while it did");
    for (const name of ["config.json", "onnx/model.onnx", ".pearl-upload"])
      expect(server.content(`models/half/${name}`)).toBeUndefined();
    await checkIsFree(`${bucket}/models/half`);
  });
});
