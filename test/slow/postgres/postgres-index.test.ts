/** Indexes that pearl builds in PostgreSQL: they answer as an index of the same rows in a folder does. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { createRandom } from "../../../src/random.js";
import { indexTable } from "../../../src/search/phrase-index.js";
import { PostgresStore } from "../../../src/search/store/postgres-store.js";
import { VectorIndex } from "../../../src/search/vector-index.js";
import { serveIndex } from "../../../src/serve/service.js";
import { syncTable } from "../../../src/stores/postgres/sync-table.js";
import { pearl } from "../../cli/run-here.js";
import { companiesIndex, endServers, miniEncoder, testServer } from "../../serve/test-server.js";
import { openPglite } from "../../stores/postgres/pglite.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-postgres-index-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
afterAll(() => encoder.dispose());

const random = createRandom(7);
const syllables = ["ba", "ko", "ri", "tam", "el", "us", "no", "pi"];
const word = (): string =>
  Array.from({ length: 3 }, () => syllables[Math.floor(random() * syllables.length)]).join("");
/** A quote, a comma, and empty cells among the rows. */
const rows = Array.from({ length: 9_000 }, (_, row) => ({
  id: row + 1,
  name: row === 5 ? 'uno, "dos" ko' : row === 6 ? "" : `${word()} ${word()}`,
  share: row % 3 === 0 ? null : row / 8,
  tags: row % 2 === 0 ? { of: [row] } : row % 5 === 0 ? `the "${row}th"` : null,
}));
const file = join(folder, "rows.jsonl");
writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
const changed = join(folder, "changed.jsonl");
writeFileSync(
  changed,
  '{"id":3,"name":"quite another","share":7}\n{"id":20000,"name":"brand new","share":null}\n',
);
const queries = ["bakori tamel", "uno dos", "quite another", "brand new", ""];
const path = join(folder, "rows.index");
const settings = { table: { column: "name" }, keyColumn: "id" };
await indexTable(file, path, encoder, settings);
/** By embeddings alone. */
const answers = async (place: string) => {
  const index = await VectorIndex.open(place);
  const { data } = await encoder.encodeMatrix(queries);
  const hits = await index.search(data, { k: 7 });
  await index.close();
  return hits.map((of) => of.map((hit) => ({ ...hit, score: hit.score.toFixed(4) })));
};

describe.skipIf(noServer !== undefined)("an index in PostgreSQL", () => {
  let server: Server;
  const at = (table: string): string => `${server.address}&table=${table}`;
  beforeAll(async () => {
    server = await startServer();
  });

  it("is built, described, searched, added to and deleted from as one in a folder", async () => {
    const run = (...words: string[]) => pearl(words, { environment: server.environment });
    const place = "postgres://?table=rows";
    const model = ["-m", "pearl-strings", "-q"];
    const built = await run(
      "index",
      "build",
      file,
      "-o",
      place,
      "-c",
      "name",
      "--key",
      "id",
      "--backend",
      "postgres",
      ...model,
    );
    expect(built).toMatchObject({ code: 0, stderr: "" });
    expect(built.stdout).toBe(
      `${place}: 9,000 rows added, 9,000 in all × 56 dimensions; PostgreSQL without pgvector, exact\n`,
    );
    const { stdout: info } = await run("index", "info", place);
    expect(info).toMatch(
      /^rows +9,000\nvectors +56 dimensions, cosine, float32\nsearch +PostgreSQL without pgvector, exact \(backend postgres\)\nmodel +pearl-strings, /,
    );
    expect(info).toMatch(/columns +id, name, share, tags\nphrases +name\nkeys +id\n/);
    expect(await answers(at("rows"))).toEqual(await answers(path));
    const search = (index: string) => run("search", index, "uno dos", "-k", "3", "--json", ...model);
    const best = ({ stdout }: { stdout: string }) => /"key": *"?(\d+)/.exec(stdout)?.[1];
    expect(best(await search(place))).toBe(best(await search(path)));
    expect(best(await search(path))).toBe("6");
    expect(await run("index", "check", place)).toMatchObject({ code: 0 });

    expect(await run("index", "add", place, changed, "-q")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${place} already has a row with the key 3.`),
    });
    for (const index of [place, path]) {
      expect(await run("index", "add", index, changed, "--replace", "-q")).toMatchObject({ code: 0 });
      const removed = await run("index", "delete", index, "--keys", "9", "70000", "--phrases", "x");
      expect(removed.code).toBe(2);
      expect(await run("index", "delete", index, "--keys", "9", "70000", "10")).toMatchObject({ code: 0 });
      const byPhrase = await run("index", "delete", index, "--phrases", rows[30].name, "--json");
      expect(JSON.parse(byPhrase.stdout)).toMatchObject({ deleted: 1, rows: 8998 });
    }
    expect(await answers(at("rows"))).toEqual(await answers(path));
    const [{ of, share }] = await server.sql<{ of: string; share: number }>(
      `SELECT tags #>> '{of,0}' AS of, share FROM rows WHERE id = 5`,
    );
    expect({ of, share }).toEqual({ of: "4", share: 0.5 });
  });

  it("has the layout of a sync, for which it is up to date", async () => {
    expect(await syncTable(at("rows"), encoder)).toMatchObject({
      rows: 8998,
      added: 0,
      changed: 0,
      removed: 0,
    });
  });

  it("numbers rows where it has no key, and no number again", async () => {
    const numbered = await VectorIndex.create(at("numbered"), {
      ...{ dimension: 2, columns: ["name"], phraseColumn: "name", model: { fingerprint: "f" } },
    });
    const add = (names: string[]) =>
      numbered.add({
        vectors: Float32Array.from(names.flatMap((_, place) => [1, place])),
        cells: names.map((name) => [name]),
      });
    await add(["a", "b", "c"]);
    expect(await numbered.delete({ keys: ["3"] })).toBe(1);
    await add(["d"]);
    const model = { fingerprint: "other" };
    const change = numbered.rebuild({ model, dimension: 3 }, () => Promise.reject(new Error("no phrase")));
    await expect(change).rejects.toThrow("is no folder: its vectors stay. Build a new index of the table.");
    const listed: string[] = [];
    for await (const { key, cells } of numbered.entries()) listed.push(`${key} ${cells.join()}`);
    expect(listed).toEqual(["1 a", "2 b", "4 d"]);
    const other = await VectorIndex.open(at("numbered"));
    const [[hit]] = await other.search(Float32Array.of(1, 1), { k: 1 });
    expect(hit).toMatchObject({ key: "2", cells: { name: "b" } });
    await Promise.all([numbered.close(), other.close()]);
  });

  it("adds rows by the connection of the search before, which was made again", async () => {
    const layout = { dimension: 2, columns: ["name"], phraseColumn: "name", model: { fingerprint: "f" } };
    await (await VectorIndex.create(at("connected"), layout)).close();
    const store = await PostgresStore.open(at("connected"));
    await store.startWriting();
    await server.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'pearl'",
    );
    const vectors = Float32Array.of(1, 0);
    await Promise.all([store.search(vectors, 1), store.append({ vectors, cells: [["a"]] }, "none")]);
    expect(await store.describe()).toMatchObject({ rows: 1 });
    await store.close();
  });

  it("has columns that are called as those of the embeddings are", async () => {
    const columns = ["key", "embedding", "text_hash"];
    const index = await VectorIndex.create(at("named"), {
      ...{ dimension: 2, columns, keyColumn: "key", phraseColumn: "embedding" },
      model: { fingerprint: "f" },
    });
    await index.add({
      vectors: Float32Array.of(1, 0, 0, 1),
      cells: [
        ["b", "x", "1"],
        ["a", "y", "2"],
      ],
    });
    const listed: string[] = [];
    for await (const { key, cells } of index.entries()) listed.push(`${key} ${cells.join()}`);
    expect(listed).toEqual(["a a,y,2", "b b,x,1"]);
    await index.close();
  });

  it("is refused where PostgreSQL would cut a column's name, before anything is made", async () => {
    const long = "Wie zufrieden waren Sie im letzten Jahr mit der Lieferung und dem Preis?";
    const made = VectorIndex.create(at("survey"), {
      ...{ dimension: 2, columns: ["name", long], phraseColumn: "name", model: { fingerprint: "f" } },
    });
    await expect(made).rejects.toThrow(`the column "${long}" has 72. Give it a shorter name`);
    expect(await server.sql("SELECT relname FROM pg_class WHERE relname LIKE 'survey%'")).toEqual([]);
  });

  it("is continued after an interruption, with the rows of an undisturbed build", async () => {
    const stop = new AbortController();
    const interrupted = indexTable(file, at("stopped"), encoder, {
      ...{ ...settings, signal: stop.signal },
      onProgress: () => stop.abort(),
    });
    await expect(interrupted).rejects.toThrow(/abort/i);
    const begun = await VectorIndex.open(at("stopped"));
    expect(await begun.describe()).toMatchObject({ rows: 8192, unfinished: { rows: 9000 } });
    await expect(begun.delete({ keys: ["1"] })).rejects.toThrow("is unfinished: its build was interrupted.");
    await begun.close();
    const resume = () => indexTable(file, at("stopped"), encoder, { ...settings, resume: "continue" });
    expect(await resume()).toMatchObject({ added: 808, resumedRows: 8192, rows: 9000 });
    expect(await resume()).toMatchObject({ added: 0, resumedRows: 9000, rows: 9000 });
    const resumed = "SELECT md5(string_agg(s::text, '' ORDER BY key)) AS sum FROM stopped_embeddings s";
    await indexTable(file, at("undisturbed"), encoder, { ...settings, resume: "continue" });
    expect(await server.sql(resumed)).toEqual(await server.sql(resumed.replace("stopped", "undisturbed")));
  });

  it("finds rows by words that no embedding leads to, the same ones as an index in a folder", async () => {
    const trades = [
      "Elektrotechnik",
      "Maschinenbau",
      "Logistik",
      "Holzhandel",
      "Optik",
      "Bau",
      "Möbel",
      "Pharma",
    ];
    const surnames =
      "Müller Schäfer Köhler Weiß Jäger Böhm Groß Kühn Becker Keller Huber Lange Dubois Lefèvre Núñez Åkesson Sørensen Rossi Smith Walker Parker Turner Łukasz Meyer Neumann";
    const bare = surnames.split(" ").flatMap((surname) => trades.map((trade) => `${surname} ${trade}`));
    const forms = ["GmbH & Co. KG", "S.A. de C.V.", "Ltd.", "UG (haftungsbeschränkt)"];
    const names = bare.map((name, row) => `${name} ${forms[row % forms.length]}`);
    const decoys = Array.from({ length: 300 }, (_, row) => `Decoy ${row}`);
    const layout = { dimension: 2, columns: ["id", "name"], phraseColumn: "name", keyColumn: "id" } as const;
    const asked = bare.map((name, row) => (row % 2 === 0 ? name : name.replace("ü", "ue").toLowerCase()));
    const firsts = [];
    for (const place of [join(folder, "words.index"), at("words")]) {
      const index = await VectorIndex.create(place, { ...layout, model: { fingerprint: "f" } });
      await index.add({
        vectors: Float32Array.from(
          [...decoys, ...names].flatMap((_, row) => (row < 300 ? [0.3, 1] : [0, 1])),
        ),
        cells: [...decoys, ...names].map((name, row) => [`k${row}`, name]),
      });
      await index.optimise();
      const hits = await index.search(Float32Array.from(asked.flatMap(() => [1, 0])), {
        k: 1,
        phrases: asked,
      });
      firsts.push(hits.map(([{ key, cells }]) => `${key} ${cells.name}`));
      await index.delete({ phrases: [names[0]] });
      const [[left]] = await index.search(Float32Array.of(1, 0), { k: 1, phrases: [bare[0]] });
      expect(left.cells.name).not.toBe(names[0]);
      await index.close();
    }
    expect(firsts[0]).toEqual(names.map((name, row) => `k${row + 300} ${name}`));
    expect(firsts[1]).toEqual(firsts[0]);
  });

  it("finds a row of signs alone, which has no embedding, by its own text, as an index in a folder does", async () => {
    const names = ["!!!", "Toyota", "★ ★", "???", ""];
    const asked = ["★ ★", "!!!", "?!", ""];
    const mini = await miniEncoder();
    const layout = { dimension: mini.dimension, columns: ["name"], phraseColumn: "name" } as const;
    const { data } = await mini.encodeMatrix(asked);
    for (const place of [join(folder, "signs.index"), at("signs")]) {
      const index = await VectorIndex.create(place, { ...layout, model: { fingerprint: "f" } });
      const { data: vectors } = await mini.encodeMatrix(names);
      await index.add({ vectors, cells: names.map((name) => [name]) });
      const hits = await index.search(data, { k: 3, phrases: asked });
      const found = hits.map((of) => of.map(({ cells, score }) => `${cells.name} ${score}`));
      expect(found).toEqual([["★ ★ 1"], ["!!! 1"], [], []]);
      await index.close();
    }
  });

  it("is served as one in a folder", async () => {
    const mini = await miniEncoder();
    await indexTable("data/companies.csv", at("companies"), mini, {
      table: { column: "name" },
      keyColumn: "id",
    });
    const index = await VectorIndex.open(at("companies"));
    const request = { rows: [{ name: "toyota motors", city: "Toyota" }, { name: "SIEMENS A.G." }] };
    const results = [];
    for (const indexes of [new Map([["companies", await serveIndex(index)]]), await companiesIndex()]) {
      const answering = await testServer({ indexes });
      results.push(await answering.post("/match", request));
    }
    expect(results[0]).toMatchObject({ status: 200 });
    type Found = { results: { matches: { key: string }[] }[] };
    const matched = (json: unknown) =>
      (json as Found).results.map(({ matches }) => matches.map(({ key }) => key));
    expect(matched(results[0].json)).toEqual(matched(results[1].json));
    expect(matched(results[0].json)).toEqual([["1"], ["3"]]);
    await index.close();
    await endServers();
  });
});

it("an index in PostgreSQL with pgvector is searched by HNSW, in which later rows are found", async () => {
  const { connection, dispose } = await openPglite();
  const connect = async () => connection;
  const place = "postgres://pglite?table=rows";
  const folderIndex = await VectorIndex.open(path);
  const layout = { ...folderIndex.layout, backend: "postgres" as const };
  const store = await PostgresStore.create(place, layout, connect);
  const cells: (readonly string[])[] = [];
  for await (const entry of folderIndex.entries()) cells.push(entry.cells);
  const vectors = (await encoder.encodeMatrix(cells.map(([, name]) => name))).data;
  const keys = cells.map(([id]) => id);
  const part = (from: number, to: number) => ({
    ...{
      vectors: vectors.subarray(56 * from, 56 * to),
      cells: cells.slice(from, to),
      keys: keys.slice(from, to),
    },
  });
  await store.append(part(0, 600), "none");
  expect(await store.describe()).toMatchObject({ searchedBy: "pgvector, exact", rows: 600 });
  await store.optimise();
  await store.append(part(600, 700), "none");
  expect(await store.describe()).toMatchObject({ searchedBy: "pgvector, hnsw", backend: "postgres" });
  expect(await store.findKey(["900", "1"])).toBe("1");
  // Keys are integers.
  expect(await store.findKey(["001"])).toBe("1");
  expect(await store.findKey(["900"])).toBeUndefined();
  const [, ...others] = cells[0];
  await store.append({ ...part(0, 1), cells: [["001", ...others]], keys: ["001"] }, "replace");
  expect(await store.describe()).toMatchObject({ rows: 700 });
  const [early, late] = [vectors.subarray(56 * 100, 56 * 101), vectors.subarray(56 * 650, 56 * 651)];
  for (const [row, query] of [
    [100, early],
    [650, late],
  ] as const) {
    const [[hit]] = await store.search(query, 1);
    expect(hit).toMatchObject({ key: keys[row], cells: cells[row], score: expect.closeTo(1, 5) });
  }
  await folderIndex.close();
  await dispose();
});
