/** A list of likely rows that an earlier run left is written over by a run that finds none, wherever it lies. */
import { beforeAll, expect, it } from "vitest";
import { dedupeTable } from "../../../src/group/tables/dedupe-table.js";
import { stateOf } from "../../../src/table/write/output-names.js";
import { writeRows } from "../../../src/table/write/text-rows.js";
import { bucket, startObjectServer } from "../../files/object-storage/server.js";
import { link, workFolder } from "../../link/linking.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";
import { readTable } from "../../table/folder.js";

await startObjectServer();
const { path, write, newStore } = workFolder("stale");
const input = write("in.csv", { id: ["1", "2"], name: ["Acme", "Bosch"], city: ["Bern", "Ulm"] });

let server: Server | undefined;
beforeAll(async () => {
  if (noServer === undefined) server = await startServer();
});

const places = ["a file", "object storage", ...(noServer === undefined ? ["PostgreSQL"] : [])];
const addressIn = (place: string): string =>
  place === "a file"
    ? path("likely.csv")
    : place === "PostgreSQL"
      ? `${server!.address}&table=likely`
      : `${bucket}/likely.csv`;
const stale = (address: string): Promise<unknown> => writeRows(address, ["name"], [[["stale"]]]);
const rowsOf = async (address: string): Promise<number> =>
  (await readTable(address, { column: "1", header: "present" })).phrases.length;

it.each(places)("of dedupe in %s", async (place) => {
  const likelyGroups = addressIn(place);
  await stale(likelyGroups);
  await dedupeTable(input, { kept: path("kept.csv"), likelyGroups }, { encoder: "none" });
  expect(await rowsOf(likelyGroups)).toBe(0);
});

it.each(places)("of link in %s", async (place) => {
  const likelyOutput = addressIn(place);
  await stale(likelyOutput);
  await link(input, newStore(), { likelyOutput });
  expect(await rowsOf(likelyOutput)).toBe(0);
});

it.each(places)("is known by a state that each writing in %s changes", async (place) => {
  const address = addressIn(place).replace("likely", "state");
  expect(await stateOf(address)).toBeUndefined();
  await writeRows(address, ["name"], [[["a"]]]);
  const first = await stateOf(address);
  expect([first, await stateOf(address)]).toEqual([expect.any(String), first]);
  await writeRows(address, ["name"], [[["b"]], [["c"]]]);
  expect(await stateOf(address)).not.toBe(first);
});

it.skipIf(noServer !== undefined)("is no table of another program, which stays as it is", async () => {
  await server!.sql("CREATE TABLE foreign_groups AS SELECT 'mine' AS name");
  const likelyGroups = `${server!.address}&table=foreign_groups`;
  await dedupeTable(input, { kept: path("kept.csv"), likelyGroups }, { encoder: "none" });
  expect(await rowsOf(likelyGroups)).toBe(1);
});
