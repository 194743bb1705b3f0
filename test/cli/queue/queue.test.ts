/** `pearl submit` and `pearl work` as people call them: what they print and leave, and that no password is kept. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";
import { pearl } from "../run-cli.js";

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
  });
});

describe("the help of a command of a queue", () => {
  it("offers no standard input, which workers do not see", async () => {
    for (const name of ["encode", "dedupe"]) {
      const [own, queued] = [[], ["submit"]].map((before) => pearl([...before, name, "--help"]));
      expect((await own).stdout).toMatch(/ file .*standard input/);
      expect((await queued).stdout).toMatch(/ file /);
      expect((await queued).stdout).not.toMatch(/standard input/);
    }
  });
});
