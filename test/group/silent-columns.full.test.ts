/** Rows that are equal but for a column that was learned to say nothing. */
import { expect, it } from "vitest";
import { duplicatesByColumns } from "../../src/group/roads.js";
import { createRandom } from "../../src/random.js";

it("are not sure: rooms of other hotels with one price and one number of guests", async () => {
  const random = createRandom(3);
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)];
  const stems = [
    "Linden",
    "Aurora",
    "Nordic",
    "Atlas",
    "Falcon",
    "Vertex",
    "Summit",
    "Polar",
    "Crown",
    "Orion",
  ];
  const towns = ["Ulm", "Graz", "Lyon", "Porto", "Turin", "Bergen", "Leeds", "Cork", "Linz", "Ghent"];
  const rows = Array.from({ length: 1200 }, () => {
    const [kind, guests] = one([
      ["single", "1"],
      ["double", "2"],
      ["twin", "2"],
      ["suite", "4"],
    ] as const);
    const hotel = `Hotel ${one(stems)} ${one(towns)}`;
    const room = `${kind} room, ${one(["sea", "garden", "city"])} view`;
    return { hotel, room, guests, price: String(50 + Math.floor(250 * random())) };
  });
  const column = (name: keyof (typeof rows)[number]): string[] => rows.map((row) => row[name]);
  const table = {
    ...{ hotel: column("hotel"), room: column("room") },
    ...{ guests: column("guests"), price: column("price") },
  };
  const { report } = await duplicatesByColumns(table, { encoder: "none", known: [] });
  expect(report.groups.length).toBeLessThan(60);
  expect(report.promise).toMatchObject({ established: false });
  expect(report.columns.map(({ name }) => name)).toContain("hotel");
});
