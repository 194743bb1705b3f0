/** Following changes on a real server: for as long as it takes, and of one table alone, whatever its name. */
import { describe, expect, it, vi } from "vitest";
import { noServer } from "../../stores/postgres/server.js";
import { syncedServer } from "./synced-server.js";

describe.skipIf(noServer !== undefined)("a table that is followed", () => {
  const synced = syncedServer();
  const { sync } = synced;
  const patient = { timeout: 20_000, interval: 50 };

  /** Follows a table until `stop` is called, which gives the report. */
  async function follow(table: string) {
    const end = new AbortController();
    const notes: string[] = [];
    const running = sync(table, {
      ...{ until: "follow", trigger: "install", signal: end.signal },
      onNote: (note) => notes.push(note),
    });
    running.catch(() => {});
    const following = () => notes.filter((note) => note.startsWith("following")).length;
    await vi.waitFor(() => expect(following()).toBe(1), patient);
    return {
      following,
      stop: () => {
        end.abort();
        return running;
      },
    };
  }
  const embedded = async (side: string): Promise<number> =>
    (await synced.server.sql<{ count: number }>(`SELECT count(*)::int AS count FROM ${side}`))[0].count;

  it("is followed on, however many connections are lost in the course of time", async () => {
    await synced.server.sql(
      "CREATE TABLE calm (id int PRIMARY KEY, name text); INSERT INTO calm VALUES (1, 'a')",
    );
    const { following, stop } = await follow("calm");
    for (let lost = 1; lost <= 6; lost++) {
      await synced.server.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'pearl'",
      );
      await vi.waitFor(() => expect(following()).toBe(lost + 1), patient);
    }
    expect(await stop()).toMatchObject({ added: 1 });
  });

  it("hears of its own changes, not of those of a table of this name in another schema", async () => {
    await synced.server.sql(
      `CREATE SCHEMA sales; CREATE TABLE sales.deals (id int PRIMARY KEY, name text);
       CREATE SCHEMA crm; CREATE TABLE crm.deals (id uuid PRIMARY KEY, name text)`,
    );
    await sync("crm.deals", { trigger: "install" });
    const { stop } = await follow("sales.deals");
    await synced.server.sql("INSERT INTO crm.deals VALUES (gen_random_uuid(), 'foreign')");
    await synced.server.sql("INSERT INTO sales.deals VALUES (1, 'own')");
    await vi.waitFor(async () => expect(await embedded("sales.deals_embeddings")).toBe(1), patient);
    expect(await stop()).toMatchObject({ rows: 1, added: 1 });
  });

  it("may have a key called as a variable of the trigger, which others write in their own style", async () => {
    for (const key of ["keys", "found"]) {
      await synced.server.sql(`CREATE TABLE days_${key} (${key} date PRIMARY KEY, name text)`);
      const { stop } = await follow(`days_${key}`);
      await synced.server.sql(`SET datestyle = 'German'; INSERT INTO days_${key} VALUES ('2001-02-03', 'a')`);
      const written = `days_${key}_embeddings WHERE key = '2001-02-03'`;
      await vi.waitFor(async () => expect(await embedded(written)).toBe(1), patient);
      expect(await stop()).toMatchObject({ added: 1 });
      await synced.server.sql(`RESET datestyle; UPDATE days_${key} SET name = 'b'; DELETE FROM days_${key}`);
    }
  });

  it("may get a row without a key, which has no embedding", async () => {
    await synced.server.sql("CREATE TABLE loose (id int UNIQUE, name text)");
    await sync("loose", { key: "id" });
    const { stop } = await follow("loose");
    await synced.server.sql("INSERT INTO loose VALUES (NULL, 'a'), (1, 'b')");
    await vi.waitFor(async () => expect(await embedded("loose_embeddings")).toBe(1), patient);
    expect(await stop()).toMatchObject({ added: 1 });
  });

  it.each([
    ["letters of several bytes", ["покупатели_и_поставщики_2023", "покупатели_и_поставщики_2024"]],
    [
      "the same beginning",
      [
        "customer_accounts_receivable_transactions_of_the_191",
        "customer_accounts_receivable_transactions_of_the_192",
      ],
    ],
  ])("may have a long name: %s", async (_, names) => {
    for (const name of names) {
      await synced.server.sql(`CREATE TABLE ${name} (id int PRIMARY KEY, name text)`);
      await sync(name, { trigger: "install" });
    }
    const { stop } = await follow(names[0]);
    // the function of the second table's triggers is its own
    await sync(names[1], { trigger: "install" });
    for (const event of ["INSERT INTO NAME VALUES (1, 'a'), (2, 'b')", "DELETE FROM NAME WHERE id = 1"])
      await synced.server.sql(event.replace("NAME", names[0]));
    await vi.waitFor(async () => expect(await embedded(`"${names[0]}_embeddings"`)).toBe(1), patient);
    await stop();
    const [{ triggers }] = await synced.server.sql<{ triggers: number }>(
      `SELECT count(*)::int AS triggers FROM pg_trigger WHERE tgrelid = '${names[0]}'::regclass`,
    );
    expect(triggers).toBe(4);
  });
});
