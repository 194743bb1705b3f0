/** `pearl sync` as people call it: what it prints, where its password comes from, and that no output holds it. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { pearl } from "../../cli/run-cli.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";

describe.skipIf(noServer !== undefined)("pearl sync", () => {
  const password = "hush/Hush@5%";
  let server: Server;
  let secret: string;
  beforeAll(async () => {
    server = await startServer();
    await server.sql(`CREATE ROLE secret LOGIN PASSWORD '${password}'`);
    await server.sql("GRANT CREATE ON SCHEMA public TO secret");
    await server.sql("CREATE TABLE customers (id int PRIMARY KEY, name text)");
    await server.sql("INSERT INTO customers VALUES (1, 'Acme'), (2, 'Bosch')");
    await server.sql("GRANT SELECT ON customers TO secret");
    secret = `postgres://secret@/postgres?host=${server.folder}`;
  });
  const sync = (address: string, words: string[], environment: Record<string, string> = {}) =>
    pearl(["sync", address, "--table", "customers", "-m", "pearl-strings", ...words], {
      environment: { PGPASSFILE: "/nonexistent", ...environment },
    });

  it("prints the SQL of a dry run on standard output, and what it would do on standard error", async () => {
    const { code, stdout, stderr } = await sync("postgres://", ["--dry-run"], server.environment);
    expect({ code, lines: stdout.trimEnd().split("\n").length }).toEqual({ code: 0, lines: 6 });
    expect(stdout).toContain(
      'CREATE TABLE "public"."customers_embeddings" (key integer, text_hash bytea NOT NULL, ',
    );
    expect(stderr).toContain('phrases from "name" of id, name, rows by id\n');
    expect(stderr).toContain(
      'would write "public"."customers_embeddings": 2 new, 0 changed, 0 removed; 2 rows',
    );
  });

  it("takes its password from the address, PGPASSWORD, DATABASE_URL or a password file, and prints it nowhere", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pearl-secret-"));
    const file = join(folder, "pgpass");
    const escaped = password.replaceAll(":", "\\:");
    writeFileSync(file, `*:*:*:secret:${escaped}\n`, { mode: 0o600 });
    const withPassword = (text: string) => secret.replace("secret@", `secret:${text}@`);
    const right = withPassword(encodeURIComponent(password));
    const ways: [string, Record<string, string>][] = [
      [right, {}],
      [withPassword(password), {}],
      [secret, { PGPASSWORD: password }],
      ["postgres://", { DATABASE_URL: right }],
      [secret, { PGPASSFILE: file }],
    ];
    const hidden = [password, encodeURIComponent(password), "hush", "Hush"];
    for (const [address, environment] of ways) {
      const report = join(folder, "report.json");
      const { code, stdout, stderr } = await sync(address, ["--json", report], {
        PEARL_DEBUG: "1",
        ...environment,
      });
      expect({ code, stderr }).toMatchObject({ code: 0 });
      for (const text of hidden) expect(stdout + stderr + readFileSync(report, "utf8")).not.toContain(text);
    }
    const [{ comment }] = await server.sql<{ comment: string }>(
      "SELECT obj_description('customers_embeddings'::regclass) AS comment",
    );
    expect(comment).toContain('"pearl":1');
    for (const text of hidden) expect(comment).not.toContain(text);
  });

  it("prints no password where it is wrong or the address cannot be read", async () => {
    for (const address of [
      secret.replace("secret@", "secret:wrongHush@"),
      "postgres://secret:wrongHush@nohost.invalid/db",
      "postgres://secret:wrongHush@ho st:99999999/db",
      "postgres://secret:wrongHush@[::1/db",
    ]) {
      const { code, stdout, stderr } = await sync(address, [], { PEARL_DEBUG: "1" });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^pearl: postgres:\/\/secret@/m);
      expect(stderr).not.toContain("Hush");
    }
    const { stderr } = await sync("postgres://", [], { DATABASE_URL: "postgres://secret:wrongHush@[::1/db" });
    expect(stderr).not.toContain("Hush");
  });

  it("that follows a table is interrupted, not unexpectedly ended, while it still writes", async () => {
    await server.sql(
      "CREATE TABLE many AS SELECT i AS id, 'name ' || i AS name FROM generate_series(1, 60000) i",
    );
    await server.sql("ALTER TABLE many ADD PRIMARY KEY (id)");
    const isBegun = async () =>
      (await server.sql("SELECT FROM pg_class WHERE relname = 'many_embeddings'")).length > 0;
    const { code, stderr } = await pearl(
      ["sync", "postgres://", "--table", "many", "--follow", "--trigger", "-q"],
      {
        environment: server.environment,
        onStart: async (child) => {
          while (!(await isBegun())) await sleep(10);
          child.kill("SIGINT");
        },
      },
    );
    expect({ code, stderr }).toEqual({ code: 130, stderr: "pearl: interrupted by SIGINT\n" });
    expect(await server.sql("SELECT count(*) < 60000 AS early FROM many_embeddings")).toEqual([
      { early: true },
    ]);
  });
});
