/** pearl-embeddings/web in Debian's Chromium gives what the library gives in Node. */
import { readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedNames } from "../../../src/architectures/embedded.js";
import { countBy } from "../../../src/by-key.js";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { duplicatesByPlan } from "../../../src/group/roads.js";
import { joinColumns } from "../../../src/join/roads.js";
import { planColumns } from "../../../src/match/columns/fields.js";
import { prepareStart } from "../../../src/methods/start-model.js";
import { columnsOf, type Row } from "../../../src/web/rows.js";
import { newFolder } from "../../setup/new-folder.js";
import { corpusPhrases, smallSettings } from "../../training/small-corpus.js";
import { hasChromium, startChromium } from "../chromium.js";
import { emptyPage, folderServer, listening, type Site, startSite, withPearl } from "./pages.js";

/** Phrases with what tokenisers and padding trip over. */
const phrases = [
  ...["The New York Times", "NYTimes", "Zürich", "東京", "", "  ", "O'Brien & Söhne GmbH", "a", "😀 café"],
  ...[
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen",
    "3M",
  ],
];

/** A table of few plain cells: no quotes. */
function rowsOf(path: string): Row[] {
  const [head, ...lines] = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  return lines.map((cells) => Object.fromEntries(head.map((name, place) => [name, cells[place]])));
}

/** Rows of companies and of the same companies, as others write them. */
const left = Array.from({ length: 60 }, (_, row) => ({
  name: `${["Acme", "Borealis", "Cedar", "Delta", "Evergreen"][row % 5]} ${["Foods", "Motors", "Labs", "Steel"][row % 4]} ${["North", "South", "East"][row % 3]}`,
  city: ["Oslo", "Lima", "Bonn", "Riga", "Cork", "Bern", "Nice"][row % 7],
}));
const right = left
  .filter((_, row) => row % 2 === 0)
  .map(({ name, city }, row) => ({ name: row % 3 === 0 ? name.toUpperCase() : name.replace("o", ""), city }));

let browser: Browser;
let encoder: PhraseEncoder;

describe.skipIf(!hasChromium).each(["shared", "copied"] as const)(
  "in a page whose memory is %s",
  (memory) => {
    let site: Site;
    let page: Page;
    beforeAll(async () => {
      browser = await startChromium();
      encoder = await PhraseEncoder.load();
      site = await startSite(memory);
      page = await emptyPage(browser, site);
    });
    afterAll(async () => {
      await browser.close();
      await encoder.dispose();
      site.server.close();
    });

    it("has the memory that the test is about", async () => {
      expect(await page.evaluate("crossOriginIsolated")).toBe(memory === "shared");
    });

    it.each(embeddedNames)("gives %s's vectors of Node, to 1e-4, and its fingerprint", async (model) => {
      const own = await PhraseEncoder.load(model);
      const expected = await own.encode(phrases);
      const { vectors, fingerprint, dimension } = await withPearl(
        page,
        async ({ PhraseEncoder }, { model, phrases }) => {
          const encoder = await PhraseEncoder.load(model, { models: "/models/" });
          const found = await encoder.encode(phrases);
          const [fingerprint, { dimension }] = [await encoder.fingerprint(), encoder];
          await encoder.dispose();
          return { vectors: found.map((vector) => Array.from(vector)), fingerprint, dimension };
        },
        { model, phrases },
      );
      expect(dimension).toBe(own.dimension);
      expect(fingerprint).toBe(await own.fingerprint());
      expect(vectors.length).toBe(phrases.length);
      const differences = vectors.flatMap((row, i) =>
        row.map((value, j) => Math.abs(value - expected[i][j])),
      );
      expect(Math.max(...differences)).toBeLessThan(1e-4);
      expect(vectors[0].some((value) => Math.abs(value) > 0.01)).toBe(true);
      await own.dispose();
    });

    it("gives similarities and the nearest phrases", async () => {
      const names = rowsOf("data/companies.csv").map(({ name }) => String(name));
      const queries = ["toyota motors", "Deutsche Bank AG"];
      const { similarities, hits, refused, again } = await withPearl(
        page,
        async ({ PhraseEncoder }, { names, queries }) => {
          const encoder = await PhraseEncoder.load("pearl-mini", { models: "/models/" });
          const similarities = await encoder.similarity(queries, names);
          const index = await encoder.index(names);
          const hits = await index.search(queries, { k: 5 });
          await index.dispose();
          const refused = await index.search(queries).catch(({ message }: Error) => message);
          const again = await (await encoder.index(names)).search(queries, { k: 5 });
          return { similarities: similarities.map((row) => Array.from(row)), hits, refused, again };
        },
        { names, queries },
      );
      expect(refused).toBe("This index was disposed. Make it again.");
      expect(again).toEqual(hits);
      const expected = await encoder.similarity(queries, names);
      queries.forEach((_, query) => {
        similarities[query].forEach((value, row) => expect(value).toBeCloseTo(expected[query][row], 4));
        const best = [...expected[query].keys()].sort((a, b) => expected[query][b] - expected[query][a]);
        expect(hits[query].map(({ row }) => row)).toEqual(best.slice(0, 5));
        expect(hits[query][0].score).toBeCloseTo(expected[query][best[0]], 4);
      });
    });

    it.each([
      ["one column", ["name"]],
      ["all columns", undefined],
    ] as const)("joins by %s as Node does", async (_, on) => {
      const { matches, summary, kind } = await withPearl(
        page,
        async ({ PhraseEncoder, join }, { left, right, on }) => {
          const encoder = await PhraseEncoder.load("pearl-mini", { models: "/models/" });
          return join(left, right, { encoder, on, explain: "each" });
        },
        { left, right, on },
      );
      const texts = { left: columnsOf(left, "left"), right: columnsOf(right, "right") };
      const own = await joinColumns(texts, planColumns(texts.left, texts.right, { on }), {
        on,
        known: [],
        encoder,
      });
      expect(own.matches.length).toBeGreaterThan(20);
      expect(matches.map((match) => [match.left, match.right])).toEqual(
        own.matches.map((match) => [match.left, match.right]),
      );
      matches.forEach(({ probability, why }, place) => {
        expect(probability).toBeCloseTo(own.matches[place].probability, 2);
        expect(why).toMatch(on === undefined ? /name/ : /≈|: equal/);
      });
      expect(kind).toBe(own.findings.kind);
      expect(summary).toMatch(/^estimated precision \d|^a precision of 0.9 is not established: /);
    });

    it("finds duplicates as Node does", async () => {
      const rows = rowsOf("data/customers.csv");
      const { groups, kept, removed } = await withPearl(
        page,
        async ({ PhraseEncoder, dedupe }, rows) => {
          const encoder = await PhraseEncoder.load("pearl-mini", { models: "/models/" });
          const found = await dedupe(rows, { encoder });
          return { ...found, kept: Array.from(found.kept) };
        },
        rows,
      );
      const columns = columnsOf(rows, "rows");
      const completeness = rows.map(
        (row) => Object.values(row).filter((cell) => String(cell).trim() !== "").length,
      );
      const own = await duplicatesByPlan(columns, planColumns(columns, undefined), {
        known: [],
        completeness,
        encoder,
      });
      const rowsIn = (found: typeof groups) =>
        found.map(({ kept, others }) => [kept, ...others.map(({ row }) => row)]);
      expect(rowsIn(groups)).toEqual(rowsIn(own.report.groups));
      expect(groups.length).toBeGreaterThan(0);
      expect([...kept, ...removed.map(({ row }) => row)].sort((a, b) => a - b)).toEqual([...rows.keys()]);
    });

    it("stops when the page says so, and says what is wrong", async () => {
      const found = await withPearl(
        page,
        async ({ PhraseEncoder, join, ArgumentError }) => {
          const encoder = await PhraseEncoder.load("pearl-strings", { models: "/models/" });
          const stop = new AbortController();
          const rows = Array.from({ length: 3000 }, (_, row) => ({ name: `name ${row} ${row * row}` }));
          const reason = (error: Error) =>
            `${error.name}: ${error.message} ${error instanceof ArgumentError}`;
          const onProgress = () => stop.abort(new Error("enough"));
          return {
            stopped: await join(rows, rows, { encoder, signal: stop.signal, onProgress }).then(
              () => "done",
              reason,
            ),
            column: await join(rows, rows, { encoder, on: ["title"] }).then(() => "done", reason),
            missing: await PhraseEncoder.load("/models/absent").then(() => "done", reason),
            afterwards: (await encoder.encode(["still here"])).length,
          };
        },
        undefined,
      );
      expect(found.stopped).toBe("Error: enough false");
      expect(found.column).toMatch(/^ArgumentError: .*title.* true$/);
      expect(found.missing).toMatch(/^ModelError: .*absent/);
      expect(found.afterwards).toBe(1);
    });
  },
);

describe.skipIf(!hasChromium)("weights", () => {
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  it("are fetched once, kept in Cache Storage, fetched again when they change, and refused when damaged", async () => {
    const site = await startSite();
    const page = await emptyPage(browser, site);
    const load = () =>
      withPearl(
        page,
        async ({ PhraseEncoder }) => {
          const encoder = await PhraseEncoder.load("pearl-strings", { models: "/models/" });
          const [vector] = await encoder.encode(["NYTimes"]);
          await encoder.dispose();
          return vector.length;
        },
        undefined,
      ).catch((error: Error) => error.message);
    const graphs = () => site.asked.filter((path) => path.includes("model.onnx")).length;
    expect(await load()).toBe(56);
    expect(graphs()).toBe(1);
    await page.reload();
    expect(await load()).toBe(56);
    expect(graphs()).toBe(1);
    // a listing with another checksum: the kept file is no longer the server's
    await page.route("**/checksums.json", async (route) => {
      const listing = (await (await route.fetch()).json()) as { files: Record<string, [number, string]> };
      listing.files["onnx/model.onnx"][1] = "00000000";
      await route.fulfill({ json: listing });
    });
    await page.reload();
    expect(await load()).toContain("onnx/model.onnx is damaged");
    expect(graphs()).toBe(2);
    site.server.close();
  });
});

it.skipIf(!hasChromium)("a transformer with n-grams gives its vectors of Node, by its address", async () => {
  const { folder } = await prepareStart({
    ...{ settings: { ...smallSettings, blocks: "as-they-come" }, types: [], seed: 1 },
    phrases: countBy(corpusPhrases, ({ phrase }) => phrase),
    folder: newFolder(),
  });
  const own = await PhraseEncoder.load(folder.path);
  const expected = await own.encode(phrases);
  await own.dispose();
  const root = newFolder();
  for (const name of ["dist", "models"]) symlinkSync(resolve(name), join(root, name));
  symlinkSync(folder.path, join(root, "own"));
  const site = await listening(folderServer(root));
  const inBrowser = await startChromium();
  const page = await emptyPage(inBrowser, site);
  const vectors = await withPearl(
    page,
    async ({ PhraseEncoder }, { phrases }) => {
      const encoder = await PhraseEncoder.load("/own");
      const found = await encoder.encode(phrases);
      await encoder.dispose();
      return found.map((vector) => Array.from(vector));
    },
    { phrases },
  );
  await inBrowser.close();
  site.server.close();
  expect(vectors.length).toBe(phrases.length);
  const differences = vectors.flatMap((row, i) => row.map((value, j) => Math.abs(value - expected[i][j])));
  expect(Math.max(...differences)).toBeLessThan(1e-4);
  expect(vectors[0].some((value) => Math.abs(value) > 0.01)).toBe(true);
});
