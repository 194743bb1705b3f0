/** Messages about PostgreSQL: each names a cure, which is applied and works. */
import { chownSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { syncTable } from "../../../src/stores/postgres/sync-table.js";
import { setEnvironment } from "../../setup/environment.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";
import { mountSmallDisk } from "../small-disk.js";
import { type Case, claimCures } from "./cases.js";

const sync = "pearl sync postgres:// -m pearl-strings -q --table";
const make = (table: string, columns = "id int PRIMARY KEY, name text, city text"): string =>
  `psql -qc "CREATE TABLE ${table} (${columns})" -c "INSERT INTO ${table} VALUES (1, 'Acme', 'Ulm'), (2, 'Bosch', 'Ulm')"`;
const more = "printf 'name\\nToyota\\nBosch\\n' > more.csv";
const build = "pearl index build more.csv -q -m pearl-strings";
const rename = (from: string, to: string): string => `psql -qc "ALTER TABLE ${from} RENAME TO ${to}"`;
const usage = (before: string | undefined, wrong: string, says: string, cured: string): Case => ({
  ...{ files: {}, wrong, says, cured },
  ...(before && { before }),
});

/** Cases of a server at `folder`; each has a table of its own. */
const cases = (folder: string): Readonly<Record<string, Case>> => ({
  "an address that is none": usage(
    make("addressed"),
    "pearl sync host/shop --table addressed",
    "host/shop is no address of PostgreSQL: write postgres://user@host/database",
    `pearl sync 'postgres://pearl@/postgres?host=${folder}' --table addressed -q`,
  ),
  "an address that cannot be read": usage(
    make("misread"),
    "pearl sync 'postgres://[::1/shop' --table misread",
    "is not a valid address. Write postgres://user@host:port/database?table=NAME.",
    `pearl sync 'postgres://pearl@/postgres?host=${folder}&table=misread' -q`,
  ),
  "DATABASE_URL that is no address": usage(
    make("environs"),
    `DATABASE_URL=shop ${sync} environs`,
    "DATABASE_URL does not begin with postgres://. Set it to the address of the database",
    `DATABASE_URL='postgres://pearl@/postgres?host=${folder}' ${sync} environs`,
  ),
  "a host that does not exist": usage(
    make("hosted"),
    "pearl sync postgres://nohost.invalid/shop --table hosted",
    "no such host (getaddrinfo",
    `pearl sync 'postgres://pearl@/postgres?host=${folder}' --table hosted -q`,
  ),
  "a server that is not there": usage(
    make("served"),
    `PGPORT=5999 ${sync} served`,
    "Start PostgreSQL there, or correct the host and port in the address.",
    `PGPORT=5432 ${sync} served`,
  ),
  "a wrong password": usage(
    `${make("locked")} && psql -qc "CREATE ROLE secret LOGIN PASSWORD 'right'" -c "GRANT CREATE ON SCHEMA public TO secret" -c "GRANT SELECT ON locked TO secret"`,
    `PGUSER=secret PGPASSWORD=wrong ${sync} locked`,
    "Put the right password into ~/.pgpass, PGPASSWORD or the address.",
    `PGUSER=secret PGPASSWORD=right ${sync} locked`,
  ),
  "no password": usage(
    `${make("unlocked")} && psql -qc "CREATE ROLE secret2 LOGIN"`,
    `PGUSER=secret PGPASSFILE=/nonexistent ${sync} unlocked`,
    "the server wants a password. Put one into ~/.pgpass, PGPASSWORD or DATABASE_URL.",
    `${sync} unlocked`,
  ),
  "a user that does not exist": usage(
    make("logged"),
    `PGUSER=nobody ${sync} logged`,
    "Use a user that may log in, as in postgres://user@host/database.",
    `PGUSER=pearl ${sync} logged`,
  ),
  "a database that does not exist": usage(
    undefined,
    `PGDATABASE=shop ${sync} goods`,
    'database "shop" does not exist. Name a database that exists, or make it: createdb NAME',
    `createdb shop && PGDATABASE=shop ${make("goods")} && PGDATABASE=shop ${sync} goods`,
  ),
  "a database without tables": usage(
    "createdb empty",
    `PGDATABASE=empty ${sync} goods`,
    'there is no table "goods". It has none. Check the name of the database.',
    `PGDATABASE=empty ${make("goods")} && PGDATABASE=empty ${sync} goods`,
  ),
  "no table": usage(
    make("unnamed"),
    "pearl sync postgres:// -q",
    "which table? Name it with --table, or end the address in ?table=NAME.",
    `pearl sync postgres://?table=unnamed -q && ${sync} unnamed -m pearl-mini`,
  ),
  "a mistyped table": usage(
    make("spelled"),
    `${sync} spellt`,
    'there is no table "spellt". Did you mean "spelled"?',
    `${sync} spelled`,
  ),
  "a table with another name": usage(
    make("abcdefgh"),
    `${sync} zzzzzzzzzzzzzzzzzzz`,
    "Choose one of these.",
    `${sync} abcdefgh`,
  ),
  "a table without a key": usage(
    make("keyless", "id int, name text, city text"),
    `${sync} keyless`,
    "keyless has no primary key. Name a column whose values tell rows apart with --key.",
    `${sync} keyless --key id`,
  ),
  "a column that is no key": usage(
    make("repeated"),
    `${sync} repeated --key city`,
    "city is Ulm in 2 rows, so it is no key. Name another column with --key.",
    `${sync} repeated --key name`,
  ),
  "a table that has the name of the embeddings": usage(
    `${make("taken")} && ${make("taken_embeddings")}`,
    `${sync} taken`,
    `Rename it: ALTER TABLE "taken_embeddings" RENAME TO "taken_embeddings_old"`,
    `${rename("taken_embeddings", "taken_embeddings_old")} && ${sync} taken`,
  ),
  "another model": usage(
    `${make("modelled")} && ${sync} modelled`,
    `${sync} modelled -m pearl-mini`,
    `Use it (--model pearl-strings), or remove them and sync again: DROP TABLE "public"."modelled_embeddings"`,
    `${sync} modelled --model pearl-strings && psql -qc 'DROP TABLE "public"."modelled_embeddings"' && ${sync} modelled -m pearl-mini`,
  ),
  "another column": usage(
    `${make("columned")} && ${sync} columned -c name`,
    `${sync} columned -c city`,
    `was made with --column name, not city. Leave --column out, or remove them and sync again: DROP TABLE "public"."columned_embeddings"`,
    `${sync} columned && psql -qc 'DROP TABLE "public"."columned_embeddings"' && ${sync} columned -c city`,
  ),
  "another prompt": usage(
    `${make("prompted")} && ${sync} prompted`,
    `${sync} prompted --prompt "query: "`,
    `was made with the prompt "". Leave --prompt out, or remove them and sync again`,
    `${sync} prompted && psql -qc 'DROP TABLE "public"."prompted_embeddings"' && ${sync} prompted --prompt "query: "`,
  ),
  "a comment that was changed": usage(
    `${make("commented")} && ${sync} commented && psql -qc "COMMENT ON TABLE commented_embeddings IS '{\\"pearl\\":2}'"`,
    `${sync} commented`,
    `Remove the embeddings and sync again: DROP TABLE "public"."commented_embeddings"`,
    `psql -qc 'DROP TABLE "public"."commented_embeddings"' && ${sync} commented`,
  ),
  "a table without a trigger": usage(
    make("followed"),
    `${sync} followed --follow`,
    "followed has no trigger that tells of changes. Add --trigger, which installs it.",
    `${sync} followed --trigger && (timeout -s INT 8 "$NODE" "$ENTRY" sync postgres:// -m pearl-strings -q --table followed --follow || [ $? = 124 ])`,
  ),
  "a search without embeddings": usage(
    make("bare"),
    "pearl search postgres://?table=bare acme",
    "bare has no embeddings. Make them first: pearl sync ADDRESS --table bare",
    `pearl sync postgres:// --table bare -q && pearl search postgres://?table=bare acme -q`,
  ),
  "a search in a database without embeddings": usage(
    "createdb searched",
    "PGDATABASE=searched pearl search postgres:// acme",
    "no table has embeddings. Make them first: pearl sync ADDRESS --table NAME",
    `export PGDATABASE=searched && ${make("bare")} && pearl sync postgres:// --table bare -q && pearl search postgres:// acme -q`,
  ),
  "a search in a database with several": usage(
    `createdb several && export PGDATABASE=several && ${make("one")} && ${make("two")} && ${sync} one && ${sync} two`,
    "PGDATABASE=several pearl search postgres:// acme",
    "2 tables have embeddings (one, two). Name one, as in postgres://?table=one",
    "PGDATABASE=several pearl search postgres://?table=one acme -q",
  ),
  "a deletion from embeddings that follow a table": usage(
    `${make("led")} && ${sync} led`,
    "pearl index delete postgres://?table=led --keys 1",
    "the embeddings follow their table. Change led itself, then run `pearl sync`.",
    `psql -qc "DELETE FROM led WHERE id = 1" && ${sync} led && pearl search postgres://?table=led acme -q`,
  ),
  "an index over a table that exists": usage(
    `${make("built")} && ${more}`,
    `${build} -o postgres://?table=built`,
    "the table built exists. Name another table; `pearl index add` adds rows to an index, and `pearl sync` makes embeddings",
    `${build} -o postgres://?table=built2 && pearl index add postgres://?table=built2 more.csv -q && ${sync} built`,
  ),
  "an index of half precision": usage(
    more,
    `${build} -o postgres://?table=halved --storage float16`,
    "an index in PostgreSQL stores float32. Leave --storage float16 out.",
    `${build} -o postgres://?table=halved`,
  ),
  "an index in PostgreSQL without an address": usage(
    more,
    `${build} -o more.index --backend postgres`,
    "is no address of PostgreSQL, which the backend postgres needs: write postgres://user@host/database?table=NAME",
    `${build} -o 'postgres://pearl@/postgres?host=${folder}&table=more' --backend postgres`,
  ),
  "an index by another backend": usage(
    more,
    `${build} -o postgres://?table=backed --backend hnsw`,
    "postgres://?table=backed needs the backend postgres, not hnsw. Leave the backend out, or name a folder.",
    `${build} -o postgres://?table=backed && ${build} -o backed.index --backend hnsw`,
  ),
  "a join in the database with a file": usage(
    `${make("joined")} && ${sync} joined && ${more}`,
    "pearl join more.csv postgres://?table=joined --in-database -q",
    "more.csv is no table in PostgreSQL, in which --in-database finds candidates: leave it out",
    "pearl join more.csv postgres://?table=joined --on name -q -m pearl-strings",
  ),
  "a join in the database without a model": usage(
    `${make("modelless")} && ${sync} modelless -c name && ${more}`,
    "pearl join postgres://?table=modelless more.csv --in-database -m none -q",
    "--in-database compares embeddings: leave --model none out",
    "pearl join postgres://?table=modelless more.csv --in-database --on name -q",
  ),
  "a join in the database with another model": usage(
    `${make("othered")} && ${sync} othered -c name && ${more}`,
    "pearl join postgres://?table=othered more.csv --in-database --on name -m pearl-mini -q",
    "Use the model of the embeddings (--model).",
    "pearl join postgres://?table=othered more.csv --in-database --on name --model pearl-strings -q",
  ),
  "a join in the database by another column": usage(
    `${make("sided")} && ${sync} sided -c name && printf 'town,other\nUlm,acme\n' > towns.csv`,
    "pearl join postgres://?table=sided towns.csv --in-database --on city=town -q",
    "has embeddings of name, with which no column of towns.csv is compared: name it with --on name=COLUMN",
    "pearl join postgres://?table=sided towns.csv --in-database --on name=other -q",
  ),
  "a join in the database with a review": usage(
    `${make("sharded")} && ${sync} sharded -c name && ${more}`,
    "pearl join postgres://?table=sharded more.csv --in-database --on name --review-out review.csv -q",
    "--in-database reads a part of the left table, in which rows have other numbers: leave --shard, --learn, --review-out, --review, --labels and --explain-out out",
    "pearl join postgres://?table=sharded more.csv --in-database --on name -q",
  ),
  "an output over another table": usage(
    `${make("precious")} && ${make("source")}`,
    "pearl encode postgres://?table=source -c name -m pearl-strings -q -o postgres://?table=precious",
    'and pearl did not write it. Name another table, or remove it: DROP TABLE "public"."precious"',
    `pearl encode postgres://?table=source -c name -m pearl-strings -q -o postgres://?table=other && psql -qc 'DROP TABLE "public"."precious"' && pearl encode postgres://?table=source -c name -m pearl-strings -q -o postgres://?table=precious`,
  ),
  "a resumed output in PostgreSQL": usage(
    make("resumed"),
    "pearl encode postgres://?table=resumed -c name -m pearl-strings -q --resume -o postgres://?table=continued",
    "--resume continues a file, not a table in PostgreSQL: leave it out",
    "pearl encode postgres://?table=resumed -c name -m pearl-strings -q -o postgres://?table=continued",
  ),
  "an input without a table": usage(
    make("given"),
    "pearl encode postgres:// -o x.csv -m pearl-strings -q",
    "postgres://: which table? End the address in ?table=NAME.",
    "pearl encode postgres://?table=given -o x.csv -m pearl-strings -q",
  ),
  "no right to make a table": usage(
    `${make("granted")} && psql -qc "CREATE ROLE reader LOGIN" -c "GRANT SELECT ON granted TO reader"`,
    `PGUSER=reader ${sync} granted`,
    "permission denied for schema public. Let the owner grant it: GRANT USAGE, CREATE ON SCHEMA public TO USER",
    `psql -qc "GRANT USAGE, CREATE ON SCHEMA public TO reader" && PGUSER=reader ${sync} granted`,
  ),
  "no right to read a table": usage(
    `${make("unread")} && psql -qc "CREATE ROLE writer LOGIN" -c "GRANT CREATE ON SCHEMA public TO writer"`,
    `PGUSER=writer ${sync} unread`,
    "permission denied for table unread. Let the owner grant it: GRANT SELECT, INSERT, UPDATE, DELETE ON unread TO USER",
    `psql -qc "GRANT SELECT, INSERT, UPDATE, DELETE ON unread TO writer" && PGUSER=writer ${sync} unread`,
  ),
  "a statement that takes longer than it may": usage(
    `${make("slow")} && psql -qc "CREATE ROLE hasty LOGIN" -c "GRANT CREATE ON SCHEMA public TO hasty" -c "ALTER ROLE hasty SET statement_timeout = 300" -c "CREATE VIEW slowly AS SELECT id, name FROM slow, pg_sleep(1)" -c "GRANT SELECT ON slowly TO hasty"`,
    `PGUSER=hasty ${sync} slowly --key id`,
    "Set a longer statement_timeout for this user and run the command again.",
    `psql -qc "ALTER ROLE hasty SET statement_timeout = 0" && PGUSER=hasty ${sync} slowly --key id`,
  ),
});

if (noServer === undefined) {
  const server = await startServer();
  afterAll(setEnvironment(server.environment));
  claimCures(cases(server.folder));
  claimOthers(server);
}

function claimOthers({ address, sql, folder }: Server): void {
  it("a table that another sync holds is synced once that has finished", async () => {
    const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
    await sql("CREATE TABLE held (id int PRIMARY KEY, name text)");
    await sql("SELECT pg_advisory_lock(hashtextextended('pearl sync ' || 'held'::regclass::oid, 0))");
    const again = () => syncTable(address, encoder, { table: "held" });
    await expect(again()).rejects.toThrow(
      'another sync of "public"."held" is running. Wait until it has finished.',
    );
    await sql("SELECT pg_advisory_unlock_all()");
    expect(await again()).toMatchObject({ rows: 0 });
    await encoder.dispose();
  });

  const small = join(folder, "small");
  const { isMounted, resize } = mountSmallDisk(small, "4m");

  it.skipIf(!isMounted)("a table on a full disk is synced once some space is free", async () => {
    const { uid, gid } = statSync(join(folder, "data"));
    chownSync(small, uid, gid);
    const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
    await sql(`CREATE TABLESPACE small LOCATION '${small}'`);
    await sql("CREATE TABLE big (id int PRIMARY KEY, name text)");
    await sql("INSERT INTO big SELECT i, 'name ' || i FROM generate_series(1, 40000) i");
    await sql("ALTER ROLE pearl SET default_tablespace = small");
    const again = () => syncTable(address, encoder, { table: "big" });
    await expect(again()).rejects.toThrow(
      /no space left on the server's disk \(.*\)\. Free some and run the command again; what was written stays\.$/,
    );
    expect(resize("40m")).toBe(true);
    expect(await again()).toMatchObject({ rows: 40_000 });
    await sql("ALTER ROLE pearl RESET default_tablespace");
    await sql("DROP TABLE big_embeddings");
    await sql("DROP TABLESPACE small");
    await encoder.dispose();
  });
}
