/** kill -9 of `pearl sync` at random moments: each row is written once, and the vectors are those of an undisturbed run. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { entry, pearl } from "../../cli/run-cli.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";

/** What changes before each round, in both tables. */
const changes = [
  "INSERT INTO TABLE SELECT i, 'name ' || i || ' of ' || i * 7919 % 60000 FROM generate_series(1, 60000) i",
  "UPDATE TABLE SET name = name || ' Ltd' WHERE id % 2 = 0",
  "DELETE FROM TABLE WHERE id % 5 = 0; INSERT INTO TABLE SELECT i, 'late ' || i FROM generate_series(70001, 90000) i",
  "UPDATE TABLE SET name = CASE WHEN id % 3 = 0 THEN NULL ELSE 'again ' || id END",
];
const killsPerRound = 5;

describe.skipIf(noServer !== undefined)("a sync that is killed", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  const parameters = (table: string) => [
    "sync",
    "postgres://",
    "--table",
    table,
    "-c",
    "name",
    "-m",
    "pearl-strings",
    "-q",
  ];
  const sync = async (table: string): Promise<string> => {
    const { code, stdout, stderr } = await pearl(parameters(table), { environment: server.environment });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return stdout;
  };
  /** Every byte of the embeddings, their keys and hashes. */
  async function digest(table: string): Promise<string> {
    const hash = createHash("sha256");
    const rows = `SELECT key, text_hash, embedding FROM ${table}_embeddings ORDER BY key`;
    for await (const part of server.connection.copyOut(`COPY (${rows}) TO STDOUT (FORMAT binary)`))
      hash.update(part);
    return hash.digest("hex");
  }
  const count = async (sql: string): Promise<number> =>
    (await server.sql<{ count: number }>(`SELECT count(*)::int AS count FROM ${sql}`))[0].count;
  const exists = (table: string) => count(`pg_class WHERE relname = '${table}_embeddings'`);
  const isConnected = () =>
    count("pg_stat_activity WHERE application_name = 'pearl' AND pid <> pg_backend_pid()");
  const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  /** What has been committed so far. */
  const committed = async (table: string): Promise<string> => {
    if ((await exists(table)) === 0) return "nothing";
    const state = `SELECT count(*) || ' ' || max(xmin::text::bigint) AS state FROM ${table}_embeddings`;
    return (await server.sql<{ state: string }>(state))[0].state;
  };

  /**
   * @param moment milliseconds after the sync has connected
   * @param afterBatch wait for the first batch that it commits, too
   * @returns whether it was still at work
   */
  async function runAndKill(table: string, moment: number, afterBatch: boolean): Promise<boolean> {
    const before = await committed(table);
    const environment = { ...process.env, ...server.environment };
    const child = spawn(process.execPath, [entry, ...parameters(table)], {
      env: environment,
      stdio: "ignore",
    });
    const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
    while (child.exitCode === null && (await isConnected()) === 0) await sleep(5);
    while (afterBatch && child.exitCode === null && (await committed(table)) === before) await sleep(5);
    await Promise.race([ended, sleep(moment)]);
    const isAtWork = child.exitCode === null;
    child.kill("SIGKILL");
    await ended;
    return isAtWork;
  }

  it("20 times writes each row once, and the bytes of one undisturbed run", async () => {
    const random = createRandom(28);
    for (const table of ["calm", "killed"]) {
      await server.sql(`CREATE TABLE ${table} (id int PRIMARY KEY, name text)`);
      await server.sql(`CREATE TABLE ${table}_writes (key int, hash bytea)`);
      await server.sql(
        `CREATE FUNCTION note_${table}() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN INSERT INTO ${table}_writes VALUES (NEW.key, NEW.text_hash); RETURN NEW; END'`,
      );
    }
    let midway = 0;
    for (const change of changes) {
      for (const table of ["calm", "killed"])
        for (const statement of change.replaceAll("TABLE", table).split(";")) await server.sql(statement);
      const started = performance.now();
      const [, connected] = await Promise.all([
        sync("calm"),
        (async () => {
          while ((await isConnected()) === 0) await sleep(5);
          return performance.now();
        })(),
      ]);
      const whole = performance.now() - connected;
      expect(connected).toBeGreaterThan(started);
      for (let kill = 0; kill < killsPerRound; kill++) {
        const before = (await exists("killed")) ? await digest("killed") : "";
        // every other kill is sure to find a batch committed and others to come, on machines of any speed
        const afterBatch = kill % 2 === 0;
        const moment = random() * (afterBatch ? 20 : whole / 2);
        const isAtWork = await runAndKill("killed", moment, afterBatch);
        if (isAtWork && (await exists("killed")) && (await digest("killed")) !== before) midway++;
        for (const table of ["calm", "killed"]) await noteWrites(table);
      }
      await sync("killed");
      expect(await digest("killed")).toBe(await digest("calm"));
    }
    expect(midway).toBeGreaterThanOrEqual(changes.length);
    const writes = (table: string) => count(`${table}_writes`);
    expect(await writes("calm")).toBeGreaterThan(50_000);
    expect(await writes("killed")).toBeGreaterThanOrEqual(await writes("calm"));
    const twice = "(SELECT FROM killed_writes GROUP BY key, hash HAVING count(*) > 1) w";
    expect(await count(twice)).toBe(0);
    const missed = "killed_embeddings e WHERE NOT EXISTS (SELECT FROM killed k WHERE k.id = e.key)";
    expect(await count(missed)).toBe(0);
    expect(await sync("killed")).toContain("0 new, 0 changed, 0 removed");
  });

  /** From now on each row that is written leaves a note. */
  async function noteWrites(table: string): Promise<void> {
    const isNoted = "tgname = 'note' AND tgrelid::regclass::text =";
    if ((await exists(table)) === 0 || (await count(`pg_trigger WHERE ${isNoted} '${table}_embeddings'`)) > 0)
      return;
    await server.sql(
      `CREATE TRIGGER note AFTER INSERT ON ${table}_embeddings FOR EACH ROW EXECUTE FUNCTION note_${table}()`,
    );
  }
});
