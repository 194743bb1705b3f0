/** Messages on bounded memory: each names a cure, which is applied and works. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { needOfRows, planMemory } from "../../../src/match/memory/memory-plan.js";
import { mountSmallDisk } from "../small-disk.js";
import { claimCures } from "./cases.js";

const table = "id,name,city\n1,Acme,Berlin\n2,Acme Inc,Berlin\n3,Siemens,Munich\n4,Bosch,Stuttgart\n";
const dedupe = "pearl dedupe x.csv -m pearl-strings -q";
const joining = "pearl join x.csv y.csv -m none -q";
const linking = "pearl link x.csv --store s.pearl -m none -q";

claimCures(
  {
    "a limit of memory that is no size": {
      files: {},
      wrong: `${dedupe} --memory much`,
      says: "It must be a number of megabytes or gigabytes, for example 500m or 4g.",
      cured: `${dedupe} --memory 4g`,
    },
    "a limit of memory that is too small": {
      files: {},
      wrong: `${dedupe} --memory 1m`,
      says: "Raise it: --memory ",
      cured: `asked=$(${dedupe} --memory 1m 2>&1 | grep -o -- "--memory .*") || true; ${dedupe} $asked`,
    },
    "a limit of memory that is too small for one column": {
      files: {},
      wrong: `${dedupe} -c name --memory 1m`,
      says: "Raise it: --memory ",
      cured: `asked=$(${dedupe} -c name --memory 1m 2>&1 | grep -o -- "--memory .*") || true; ${dedupe} -c name $asked`,
    },
    "a limit of memory that is too small for two tables": {
      files: {},
      wrong: `${joining} --memory 1m`,
      says: "Raise it: --memory ",
      cured: `asked=$(${joining} --memory 1m 2>&1 | grep -o -- "--memory .*") || true; ${joining} $asked`,
    },
    "a limit of memory that is too small for a store": {
      files: {},
      wrong: `${linking} --memory 1m`,
      says: "Raise it: --memory ",
      cured: `asked=$(${linking} --memory 1m 2>&1 | grep -o -- "--memory .*") || true; ${linking} $asked`,
    },
    "a folder of temporary files that is missing": {
      files: {},
      wrong: `${dedupe} --memory 4g --temp spill`,
      says: "spill: no such folder for temporary files. Create it, or name another with --temp.",
      cured: `${dedupe} --memory 4g --temp . && mkdir spill && ${dedupe} --memory 4g --temp spill`,
    },
  },
  { files: { "x.csv": table, "y.csv": table } },
);

const folder = mkdtempSync(join(tmpdir(), "pearl-cures-memory-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const small = join(folder, "small");
const { isMounted, resize } = mountSmallDisk(small, "2m");

it.skipIf(!isMounted)(
  "a disk with less room than the pairs may need has enough once it is larger",
  async () => {
    const size = { rows: [20_000], columns: 5, names: 0, dimension: 0 };
    const need = needOfRows(size);
    const plan = (place: string) => planMemory({ bytes: need.least, folder: place }, need);
    const refused = plan(small);
    await expect(refused).rejects.toThrow("Free some, or name another folder with --temp.");
    const needed = /up to (\d+) MB/.exec(String(await refused.catch(String)))?.[1];
    const other = join(folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, "beside"), "");
    expect((await plan(other)).note).toContain(`${needed} MB`);
    expect(resize(`${Number(needed) + 1}m`)).toBe(true);
    expect((await plan(small)).note).toContain(`${needed} MB`);
  },
);
