/** The server of a review: what it refuses, what it returns, and the figures beside the pairs. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { dedupeTable } from "../../../src/group/tables/dedupe-table.js";
import { joinTables } from "../../../src/join/join-tables.js";
import { type RunningReview, startReview } from "../../../src/serve/review/server.js";
import type { ReviewOptions, ReviewState } from "../../../src/serve/review/session.js";
import { reviewFolder } from "./review-folder.js";

let review: RunningReview;
let folder: Awaited<ReturnType<typeof reviewFolder>>;
const start = async (file: string, options: Partial<ReviewOptions> = {}): Promise<void> => {
  review = await startReview(file, { nextCommand: "pearl join a b --review review.csv", ...options });
};
const stateOf = async (reply: Response): Promise<ReviewState> => (await reply.json()) as ReviewState;
const state = async (): Promise<ReviewState> => stateOf(await fetch(`${review.url}state`));
const post = (
  body: object | string,
  headers: Record<string, string> = { "content-type": "application/json" },
) =>
  fetch(`${review.url}answer`, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

beforeEach(async () => {
  folder = await reviewFolder();
});
afterEach(() => review.close());

describe("the server of a review", () => {
  beforeEach(() => start(folder.file));

  it("listens on this machine alone, and answers no other name, origin or token", async () => {
    const { hostname, pathname, port } = new URL(review.url);
    expect(hostname).toBe("127.0.0.1");
    const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
      (await review.app.inject({ url, headers: { host: `127.0.0.1:${port}`, ...headers } })).statusCode;
    expect(pathname.length).toBeGreaterThan(30);
    expect(await statusOf(pathname)).toBe(200);
    expect(await statusOf(pathname, { host: `localhost:${port}` })).toBe(200);
    for (const host of [`attacker.example:${port}`, `127.0.0.1.attacker.example:${port}`, "127.0.0.1@a:1"])
      expect(await statusOf(pathname, { host })).toBe(403);
    expect(await statusOf(pathname, { origin: "http://attacker.example" })).toBe(403);
    expect(await statusOf(pathname, { origin: "null" })).toBe(403);
    const wrong = [`/_-${pathname.slice(3, -1)}`, `/%C3%9F${"a".repeat(pathname.length - 3)}`];
    for (const url of [
      "/",
      "/state",
      ...wrong.map((token) => `${token}/state`),
      `${pathname}..%2fsession.ts`,
    ])
      expect(await statusOf(url)).toBe(404);
  });

  it("sends every reply with a policy that allows no inline script, and has none", async () => {
    for (const name of ["", "page.js", "chart.js", "page.css", "preact.js", "state"]) {
      const reply = await fetch(review.url + name);
      expect([name, reply.status]).toEqual([name, 200]);
      expect(reply.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(reply.headers.get("content-security-policy")).not.toContain("unsafe");
      expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
    }
    const page = await (await fetch(review.url)).text();
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="page.js">']);
    expect(page).not.toMatch(/ style=| on\w+=/);
  });

  it("has an answer on disk before it gives the next pair", async () => {
    expect((await state()).pair?.id).toBe("1 1");
    const reply = await stateOf(await post({ id: "1 1", answer: "yes", seen: "" }));
    expect(await folder.decisions()).toEqual([[1, true]]);
    expect(reply.pair?.id).toBe("2 2");
    expect(reply.counts).toEqual({ pairs: 4, open: 3, yes: 1, no: 0, "?": 0, "": 3 });
  });

  it("shows an undone pair again", async () => {
    await post({ id: "1 1", answer: "no", seen: "" });
    await post({ id: "2 2", answer: "?", seen: "" });
    const reply = await stateOf(await post({ id: "2 2", answer: "", seen: "?" }));
    expect(reply.pair?.id).toBe("2 2");
    expect(await folder.decisions()).toEqual([[1, false]]);
  });

  it("keeps the first of two answers to a pair, and says so to the second tab", async () => {
    expect((await post({ id: "1 1", answer: "yes", seen: "" })).status).toBe(200);
    const second = await post({ id: "1 1", answer: "no", seen: "" });
    expect(second.status).toBe(409);
    expect((await stateOf(second)).pair?.id).toBe("2 2");
    expect(await folder.decisions()).toEqual([[1, true]]);
  });

  it("refuses what the page does not send, and writes nothing", async () => {
    const body = { id: "1 1", answer: "yes", seen: "" };
    expect((await post({ ...body, answer: "perhaps" })).status).toBe(400);
    expect((await post({ id: "1 1" })).status).toBe(400);
    expect((await post("{")).status).toBe(400);
    expect((await post(JSON.stringify(body), { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(`"${"x".repeat(20_000)}"`)).status).toBe(413);
    expect((await post({ ...body, id: "9 9" })).status).toBe(409);
    await expect(folder.decisions()).rejects.toThrow("no row has a decision");
  });

  it("ends when the person ends it", async () => {
    await fetch(`${review.url}finish`, { method: "POST" });
    await review.finished;
    expect(review.counts().open).toBe(4);
  });
});

/** The state once the figures are those of all answers. */
async function settled(): Promise<ReviewState> {
  for (;;) {
    const now = await state();
    if (now.figures?.isBusy === false) return now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe("the figures", () => {
  const tables = ["data/companies.csv", "data/suppliers.csv"] as const;
  const file = (name: string): string => join(folder.folder, name);

  it("are those of a join with the same answers, and pairs come by what their answers are worth now", async () => {
    const encoder = await PhraseEncoder.load();
    const join = (decisionPaths: string[]) =>
      joinTables(...tables, file("joined.csv"), { encoder, decisionPaths, reviewPath: file("next.csv") });
    await joinTables(...tables, file("joined.csv"), { encoder, reviewPath: file("r.csv") });
    await start(file("r.csv"), { matching: { tables } });
    for (const answer of ["yes", "no", "yes"] as const) {
      const { pair } = await settled();
      await post({ id: pair!.id, answer, seen: "" });
    }
    const { figures, pair } = await settled();
    const { matches, ...expected } = await join([file("r.csv")]);
    expect(figures?.points.map(({ answers }) => answers)).toEqual([0, 1, 2, 3]);
    const { estimate, low, high, promise } = expected;
    expect(figures?.points[3]).toEqual({ answers: 3, found: matches, estimate, low, high, promise });
    await review.close();
    await start(file("next.csv"));
    expect((await state()).pair?.id).toBe(pair?.id);
    await encoder.dispose();
  });

  it("are those of a dedupe, and contradicting answers are named until they are undone", async () => {
    const rows = [
      "a,Acme Inc,Bern",
      "b,Acme Inc.,Bern",
      "c,ACME Inc,Bern",
      "d,Zora AG,Genf",
      "e,Nord SA,Jena",
    ];
    await writeFile(file("t.csv"), `id,name,city\n${rows.join("\n")}\n`);
    const decisions = ["yes,1,2", "yes,2,3", '"",1,3'];
    await writeFile(file("r.csv"), `decision,left_row,right_row\n${decisions.join("\n")}\n`);
    await start(file("r.csv"), { matching: { tables: [file("t.csv")] } });
    const { figures } = await settled();
    const encoder = await PhraseEncoder.load();
    const outputs = { kept: file("kept.csv") };
    const expected = await dedupeTable(file("t.csv"), outputs, { encoder, decisionPaths: [file("r.csv")] });
    await encoder.dispose();
    const { estimate, low, high, promise, removed } = expected;
    expect(removed).toHaveLength(2);
    expect(figures?.points).toEqual([{ answers: 2, found: 2, estimate, low, high, promise }]);
    await post({ id: "1 3", answer: "no", seen: "" });
    expect((await settled()).figures?.trouble).toMatch(/contradict|rows? 1/i);
    await post({ id: "1 3", answer: "", seen: "no" });
    expect((await settled()).figures).toMatchObject({ points: figures?.points, isBusy: false });
  });

  it("of a dedupe need no model", async () => {
    await start(folder.file, { matching: { tables: ["data/customers.csv"], model: "none" } });
    const { figures } = await settled();
    expect(figures?.trouble).toBeUndefined();
    expect(figures?.points).toMatchObject([{ answers: 0 }]);
  });

  it("name what is wrong with a table, while pairs can be answered", async () => {
    await start(folder.file, { matching: { tables: [file("absent.csv")] } });
    expect((await settled()).figures?.trouble).toContain("absent.csv");
    expect((await post({ id: "1 1", answer: "yes", seen: "" })).status).toBe(200);
    expect((await settled()).figures?.trouble).toContain("absent.csv");
  });
});
