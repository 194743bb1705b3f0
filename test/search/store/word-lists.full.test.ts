/** Rows are found by their words in an index in a folder: after additions, deletions and opening it again. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { VectorIndex } from "../../../src/search/vector-index.js";
import { newFolder } from "../../setup/new-folder.js";

const dimension = 8;
const layout = { dimension, columns: ["id", "name"], phraseColumn: "name", keyColumn: "id" } as const;
const trades = ["Elektrotechnik", "Maschinenbau", "Logistik", "Holzhandel", "Optik"];
const surnames = ["Müller", "Schäfer", "Köhler", "Weiß", "Jäger", "Böhm", "Groß", "Kühn"];
const names = surnames.flatMap((surname) => trades.map((trade) => `${surname} ${trade} GmbH & Co. KG`));

/** Rows with one vector: at right angles to the query, or a little nearer. */
const rowsOf = (phrases: readonly string[], first: number, nearness = 0) => {
  const vector = [nearness, 1, 0, 0, 0, 0, 0, 0];
  return {
    vectors: Float32Array.from(phrases.flatMap(() => vector)),
    cells: phrases.map((phrase, row) => [`k${first + row}`, phrase]),
  };
};
const query = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0);
/** By embeddings, the nearest rows. They share no word with a query. */
const decoys = Array.from({ length: 300 }, (_, row) => `Decoy ${1000 + row}`);
const all = [rowsOf(decoys, 1000, 0.3), rowsOf(names, 0)];

const best = async (index: VectorIndex, phrase: string): Promise<string> => {
  const [[hit]] = await index.search(query, { k: 1, phrases: [phrase] });
  return hit.cells.name;
};

describe.each(["exact", "hnsw"] as const)("an index searched by %s", (backend) => {
  it("finds rows by words that no embedding leads to, also those added later, and none that were deleted", async () => {
    const path = join(newFolder(), "index");
    const index = await VectorIndex.build(path, all, { ...layout, backend });
    expect(await best(index, "mueller logistik")).toBe("Müller Logistik GmbH & Co. KG");
    for (let step = 0; step < 12; step++) {
      await index.add(rowsOf([`Neumann Nr ${step} Ltd.`], 2000 + step));
      expect(await best(index, `neumann nr ${step}`)).toBe(`Neumann Nr ${step} Ltd.`);
    }
    await index.delete({ phrases: ["Müller Logistik GmbH & Co. KG"] });
    expect(await best(index, "mueller logistik")).not.toBe("Müller Logistik GmbH & Co. KG");
    await index.optimise();
    await index.close();
    const opened = await VectorIndex.open(path);
    expect(await best(opened, "WEISS OPTIK")).toBe("Weiß Optik GmbH & Co. KG");
    expect(await best(opened, "Neumann Nr 11")).toBe("Neumann Nr 11 Ltd.");
    await opened.close();
  });
});

it("keeps the lists of rows beside the graph", async () => {
  const path = join(newFolder(), "index");
  await (await VectorIndex.build(path, all, { ...layout, backend: "hnsw" })).close();
  expect(readdirSync(join(path, "generation-1"))).toContain("hnsw-340.words");
  const index = await VectorIndex.open(path);
  const [hits] = await index.search(query, { k: 20, phrases: ["mueller logistik"] });
  expect(hits.some(({ cells }) => !cells.name.startsWith("Decoy"))).toBe(true);
  await index.close();
});
