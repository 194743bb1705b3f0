/** OpenAI's routes, called by the official client over a real connection and by hand. */
import type { AddressInfo } from "node:net";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endServers, miniEncoder, type TestServer, testServer } from "./test-server.js";

afterAll(endServers);

let server: TestServer;
let client: OpenAI;
beforeAll(async () => {
  server = await testServer({ limits: { items: 4, characters: 40 } });
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "unused", maxRetries: 0 });
});

const phrases = ["The New York Times", "Zürich", "The New York Times"];
const model = "pearl-mini";

describe("OpenAI's client", () => {
  it("gets the encoder's own vectors, in base64 as it asks by default and as numbers", async () => {
    const expected = await (await miniEncoder()).encode(phrases);
    for (const encoding_format of [undefined, "float"] as const) {
      const answer = await client.embeddings.create({ model, input: phrases, encoding_format });
      expect(answer.data.map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(answer.data.map(({ embedding }) => [...embedding])).toEqual(
        expected.map((vector) => [...vector]),
      );
    }
  });

  it("counts the tokens of every phrase: for pearl-mini its words", async () => {
    const { usage } = await client.embeddings.create({ model, input: phrases });
    expect(usage).toEqual({ prompt_tokens: 9, total_tokens: 9 });
  });

  it("takes null for what a client such as LiteLLM leaves out", async () => {
    const nulls = { encoding_format: null, dimensions: null, user: null };
    const [absent, given] = [
      await server.post("/v1/embeddings", { model, input: "a" }),
      await server.post("/v1/embeddings", { model, input: "a", ...nulls }),
    ];
    expect(given).toMatchObject({ status: 200, json: absent.json });
    const type = await server.post("/type", { phrases: ["Zürich"], top: null });
    expect(type.json.results[0].types).toHaveLength(1);
    const options = { index: null, k: null, on: null, kind: null, precision: null };
    const row = { name: "Zürich", city: null };
    expect((await server.post("/match", { rows: [row], table: [row], ...options })).status).toBe(200);
  });

  it("is told the limit of what it sent too much of", async () => {
    const message = async (input: unknown) =>
      (await server.post("/v1/embeddings", { model, input })).json.error.message;
    expect(await message(["a", "b", "c", "d", "e"])).toContain("array to have <=4 items");
    expect(await message("x".repeat(41))).toContain("string to have <=40 characters");
  });

  it("shortens vectors to the dimensions asked for, as truncateDim does", async () => {
    const [expected] = await (await miniEncoder()).encode(["Zürich"], { truncateDim: 64 });
    const { data } = await client.embeddings.create({ model, input: "Zürich", dimensions: 64 });
    expect(data[0].embedding).toHaveLength(64);
    data[0].embedding.forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], 6);
    });
  });

  it("lists the model, finds it by name, and gets OpenAI's error for another", async () => {
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual([model]);
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: "model" });
    const failed = [
      client.models.retrieve("intfloat/e5-small-v2"),
      client.embeddings.create({ model: "text-embedding-3-small", input: "a" }),
    ];
    for (const call of failed)
      await expect(call).rejects.toMatchObject({ status: 404, code: "model_not_found", param: "model" });
    await expect(failed[0]).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it("throws the class of error that OpenAI's own API makes it throw", async () => {
    const empty = client.embeddings.create({ model, input: "" });
    await expect(empty).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(empty).rejects.toMatchObject({ type: "invalid_request_error", param: "input" });
    const tokens = client.embeddings.create({ model, input: [[1, 2], [3]] });
    await expect(tokens).rejects.toThrow(/token ids are not accepted/);
  });
});

describe("POST /v1/embeddings", () => {
  it.each([
    ["broken JSON", '{"model":', 400, null],
    ["no input", { model }, 400, "input"],
    ["no model", { input: "a" }, 400, "model"],
    ["an empty list", { model, input: [] }, 400, "input"],
    ["an empty phrase in a list", { model, input: ["a", ""] }, 400, "input.1"],
    ["a number as input", { model, input: 7 }, 400, "input"],
    ["an unknown format", { model, input: "a", encoding_format: "hex" }, 400, "encoding_format"],
    ["more dimensions than the model has", { model, input: "a", dimensions: 601 }, 400, "dimensions"],
    ["an unknown field", { model, input: "a", dimension: 5 }, 400, null],
    ["too many phrases", { model, input: ["a", "b", "c", "d", "e"] }, 413, "input"],
    ["too many characters", { model, input: "x".repeat(41) }, 413, "input"],
  ])("refuses %s", async (_, body, status, param) => {
    const answer = await server.post("/v1/embeddings", body);
    expect(answer).toMatchObject({ status, json: { error: { type: "invalid_request_error", param } } });
    expect(answer.json.error.message).toMatch(/./);
  });

  it("gives a phrase the same vector alone and among 64 requests at once", async () => {
    const names = Array.from({ length: 64 }, (_, i) => `company number ${i} ${"of words ".repeat(i % 3)}`);
    const ask = (input: string) => server.post("/v1/embeddings", { model, input });
    const together = await Promise.all(names.map(ask));
    for (const place of [0, 31, 63]) {
      const { json } = await ask(names[place]);
      const [alone, batched] = [json, together[place].json].map(
        (answer) => answer.data[0].embedding as number[],
      );
      const difference = Math.max(...alone.map((value, i) => Math.abs(value - batched[i])));
      expect(difference).toBeLessThan(1e-5);
    }
    const metrics = (await server.app.inject("/metrics")).body;
    const batches = Number(/pearl_batch_phrases_count (\d+)/.exec(metrics)?.[1]);
    const encoded = Number(/pearl_batch_phrases_sum (\d+)/.exec(metrics)?.[1]);
    expect(batches).toBeLessThan(encoded / 2);
  });
});
