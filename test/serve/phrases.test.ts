import { afterAll, describe, expect, it } from "vitest";
import { endServers, miniEncoder, testServer } from "./test-server.js";

afterAll(endServers);

const server = await testServer({ limits: { items: 600 } });

describe("POST /type", () => {
  it("gives the encoder's types, the most probable first, and none for an empty phrase", async () => {
    const { json } = await server.post("/type", { phrases: ["Paris", ""], top: 2 });
    const [[best]] = await (await miniEncoder()).types(["Paris"], { top: 1 });
    const [paris, empty] = json.results;
    expect(paris.types).toHaveLength(2);
    expect(`${paris.types[0].class}-${paris.types[0].type}`).toBe(best.type);
    expect(paris.types[0].probability).toBeCloseTo(best.probability, 5);
    expect(empty).toEqual({ phrase: "", types: [] });
  });
});

describe("POST /similarity", () => {
  it("gives the cosine of each phrase of a with each of b", async () => {
    const [a, b] = [
      ["NYTimes", "Zürich"],
      ["The New York Times", "", "Zurich"],
    ];
    const { json } = await server.post("/similarity", { a, b });
    const expected = await (await miniEncoder()).similarity(a, b);
    expect(json.similarity).toHaveLength(2);
    expected.forEach((row, i) => {
      row.forEach((value, j) => {
        expect(json.similarity[i][j]).toBeCloseTo(value, 5);
      });
    });
  });

  it("refuses more pairs than an answer can hold", async () => {
    const many = Array.from({ length: 501 }, (_, i) => `name ${i}`);
    const { status, json } = await server.post("/similarity", { a: many, b: many });
    expect({ status, code: json.error.code }).toEqual({ status: 413, code: "request_too_large" });
  });
});
