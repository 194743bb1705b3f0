/** On a full disk a command ends in one line with the cure, and leaves nothing, or what `--resume` continues. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { pearl } from "../cli/run-cli.js";
import { mountSmallDisk } from "./small-disk.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-full-disk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const small = join(folder, "small");
const { isMounted, resize, empty } = mountSmallDisk(small, "2m");

const rows = Array.from({ length: 3000 }, (_, row) => `${row},name number ${row} of the list\n`);
writeFileSync(join(folder, "names.csv"), `id,name\n${rows.join("")}`);

/** Leaves this much space. */
const leave = (kilobytes: number): void =>
  writeFileSync(join(small, "fill"), Buffer.alloc((2048 - kilobytes) * 1024));
const run = (...parameters: string[]) => pearl([...parameters, "-c", "name", "-q"], { cwd: folder });

describe.skipIf(!isMounted)("a full disk", () => {
  beforeEach(() => expect(empty()).toBe(true));

  it("leaves no index where none could be begun", async () => {
    leave(0);
    const { code, stderr } = await run("index", "build", "names.csv", "-o", "small/index");
    expect(stderr).toMatch(/^pearl: small\/index: no space left on the disk\. Free some.*\n$/);
    expect(code).toBe(1);
    expect(readdirSync(small)).toEqual(["fill"]);
  });

  it("leaves no store of entities where there is no room for one", async () => {
    const link = (file: string) =>
      pearl(["link", file, "--store", "small/store", "-m", "none", "-q", "-o", "out.csv"], { cwd: folder });
    leave(50);
    const first = await link("names.csv");
    expect(first.stderr).toMatch(/^pearl: small\/store: no space left on the disk\. Free some.*\n$/);
    expect(first.code).toBe(1);
    expect(readdirSync(small)).toEqual(["fill"]);
  });

  it("leaves an index that --resume finishes", async () => {
    leave(1000);
    const { code, stderr } = await run("index", "build", "names.csv", "-o", "small/index");
    expect(stderr).toMatch(/^pearl: small\/index\/generation-1: no space left on the disk.*--resume\.\n$/);
    expect(code).toBe(1);
    resize("30m");
    const resumed = await run("index", "build", "names.csv", "-o", "small/index", "--resume");
    expect(resumed.stdout).toMatch(/3,000 in all/);
  });

  it("leaves the rows of an index whose graph has no room", async () => {
    resize("7600k");
    const build = ["index", "build", "names.csv", "-o", "small/index", "--backend", "hnsw"];
    const { code, stderr } = await run(...build);
    expect(stderr).toMatch(/^pearl: small\/index\/generation-1\/hnsw-\S+: .*--resume\.\n$/);
    expect(code).toBe(1);
    resize("30m");
    const resumed = await run(...build, "--resume");
    expect(resumed.stdout).toMatch(/3,000 in all.*hnsw over 3,000 rows/);
  });

  it.each([
    ["the output", {}],
    ["the temporary files", { TMPDIR: small }],
  ])("of %s leaves nothing of dedupe", async (_, environment) => {
    leave(20);
    const { code, stderr } = await pearl(
      ["dedupe", "names.csv", "-c", "name", "-o", "small/kept.csv", "-q"],
      {
        cwd: folder,
        environment,
      },
    );
    expect(stderr).toMatch(/^pearl: .*no space left on the disk\. Free some.*\n$/);
    expect(code).toBe(1);
    expect(readdirSync(small)).toEqual(["fill"]);
  });

  it("keeps the vectors that encode has written, and names their folder", async () => {
    writeFileSync(join(folder, "many.csv"), `id,name\n${rows.join("").repeat(6)}`);
    resize("24m");
    const { stderr } = await run("encode", "many.csv", "-o", "small/v.parquet");
    expect(stderr).toMatch(/continue with --resume: small\/v\.parquet\.partial holds what is done\.\n$/);
    expect(readdirSync(small)).toContain("v.parquet.partial");
  });
});
