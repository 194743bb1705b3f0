/** `pearl submit` and `pearl work` as people call them: what they print and leave, and that no password is kept. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readKept, readManifest, writePart } from "../../../src/files/shards/part-file.js";
import { pearl } from "../../cli/run-cli.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";

describe.skipIf(noServer !== undefined)("a command of a queue", () => {
  const password = "hush/Hush@5%";
  const cwd = mkdtempSync(join(tmpdir(), "pearl-submit-"));
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));
  writeFileSync(join(cwd, "x.csv"), "id,name\n1,Acme\n2,Bosch\n3,Siemens\n");
  let server: Server;
  let address: string;
  beforeAll(async () => {
    server = await startServer();
    await server.sql(`CREATE ROLE secret LOGIN PASSWORD '${password}'`);
    await server.sql("GRANT CREATE ON DATABASE postgres TO secret");
    address = `postgres://secret:${encodeURIComponent(password)}@/postgres?host=${server.folder}`;
  });

  it("prints where its jobs are, does what was submitted, and holds no password", async () => {
    const words = ["encode", "x.csv", "-m", "pearl-strings", "-o", "out.csv", "--json", "report.json"];
    const submitted = await pearl(["submit", ...words, "--queue", address, "--shards", "1"], { cwd });
    const shown = `postgres://secret@/postgres?host=${server.folder}`;
    expect(submitted).toMatchObject({
      code: 0,
      stdout: `queued 1 shard of pearl encode x.csv; workers: pearl work ${shown}\n`,
    });
    const [{ jobs }] = await server.sql<{ jobs: string }>(
      "SELECT json_agg(job)::text AS jobs FROM pearl_queue.job",
    );
    expect(JSON.parse(jobs)).toHaveLength(1);
    const worked = await pearl(["work", address, "--until-empty", "--threads", "1"], { cwd });
    expect(worked).toMatchObject({ code: 0, stdout: "finished 2 jobs\n" });
    expect(worked.stderr).toMatch(/^taking jobs from .*\nshard 1\/1 of encode x\.csv: .*\nthe merge of/);
    expect(readdirSync(cwd).sort()).toEqual(["out.csv", "report.json", "x.csv"]);
    expect(JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"))).toMatchObject({ rows: 3 });
    for (const text of [submitted, worked].flatMap(({ stdout, stderr }) => [stdout, stderr]).concat(jobs))
      expect(text).not.toMatch(/hush/i);
    const again = ["submit", ...words, "--queue", address, "--shards", "1"];
    expect(await pearl(again, { cwd })).toMatchObject({
      code: 0,
      stdout: "1 shard of pearl encode x.csv were finished before; to do them again, remove out.csv\n",
    });
    const waited = await pearl([...again, "--wait"], { cwd });
    expect(waited).toMatchObject({ code: 0, stdout: expect.stringMatching(/^wrote out\.csv: 3 rows/) });
  });

  it("starts a new run when the model was retrained, and reuses a part that exists", async () => {
    cpSync("models/pearl-strings", join(cwd, "own"), { recursive: true });
    const words = ["encode", "x.csv", "-m", "own"];
    const submit = async (): Promise<string[]> => {
      const queue = ["-o", "kept.csv", "--queue", address, "--shards", "1"];
      const { stdout } = await pearl(["submit", ...words, ...queue], { cwd });
      expect(stdout).toMatch(/^queued 1 shard/);
      const found = await server.sql<{ parts: string }>(
        "SELECT data->>'parts' AS parts FROM pearl_queue.job WHERE state = 'created' ORDER BY created_on",
      );
      return found.map(({ parts }) => parts);
    };
    await submit();
    writeFileSync(join(cwd, "own/training.json"), "{}");
    const [before, parts] = await submit();
    expect(parts).not.toBe(before);
    await server.sql(`DELETE FROM pearl_queue.job WHERE data->>'parts' = '${before}'`);
    const part = join(parts, "1-of-1.part");
    mkdirSync(parts);
    expect(await pearl([...words, "--shard", "1/1", "-o", part], { cwd })).toMatchObject({ code: 0 });
    const head = await readManifest(part);
    const { vectors, ...kept } = await readKept(part, head);
    await writePart(part, head, { ...kept, vectors: vectors.fill(0) });
    const worked = await pearl(["work", address, "--until-empty", "--threads", "1"], { cwd });
    expect(worked).toMatchObject({ code: 0, stdout: "finished 2 jobs\n" });
    expect(readFileSync(join(cwd, "kept.csv"), "utf8")).toMatch(/^id,name,embedding\n1,Acme,"\[0\.0, 0\.0,/);
  });

  it("leaves no temporary files where its worker is told to end, and waits for the next worker", async () => {
    const temp = join(cwd, "temp");
    mkdirSync(temp);
    const lines = Array.from({ length: 200_000 }, (_, row) => `${row},name ${row}\n`);
    writeFileSync(join(cwd, "many.csv"), `id,name\n${lines.join("")}`);
    const encode = ["encode", "many.csv", "-c", "name", "-m", "pearl-strings", "-o", "many.npy"];
    await pearl(["submit", ...encode, "--queue", address, "--shards", "1"], { cwd });
    const tablesIn = () =>
      readdirSync(temp, { recursive: true }).filter((name) => String(name).includes("pearl-table-"));
    const { code, stdout } = await pearl(["work", address, "--threads", "1", "--temp", temp], {
      cwd,
      onStart: async (child) => {
        while (tablesIn().length === 0) await sleep(5);
        child.kill("SIGTERM");
      },
    });
    expect({ code, stdout, left: readdirSync(temp) }).toEqual({
      code: 0,
      stdout: "finished 0 jobs\n",
      left: [],
    });
    const [{ state }] = await server.sql<{ state: string }>(
      "SELECT state FROM pearl_queue.job ORDER BY created_on DESC LIMIT 1",
    );
    expect(state).toBe("retry");
  });

  it("is refused by a worker that has no folder for temporary files", async () => {
    const { code, stderr } = await pearl(["work", address, "--temp", "none"], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "pearl: none: no such folder for temporary files. Create it, or name another with --temp.\n",
    });
  });
});

describe("the help of a command of a queue", () => {
  it("offers no standard input, which workers do not see", async () => {
    for (const name of ["encode", "dedupe"]) {
      const [own, queued] = [[], ["submit"]].map((before) => pearl([...before, name, "--help"]));
      expect((await own).stdout).toMatch(/ file .*reads\s+standard input/);
      expect((await queued).stdout).toMatch(/ file /);
      expect((await queued).stdout).not.toMatch(/standard\s+input/);
    }
  });
});
