/** Messages of queues and their workers: each names a cure, which is applied and works. */
import { afterAll } from "vitest";
import { setEnvironment } from "../../../setup/environment.js";
import { noServer, startServer } from "../../../stores/postgres/server.js";
import { type Case, claimCures } from "../cases.js";

const encode = "pearl submit encode x.csv -c name -m pearl-strings --shards 2 -q --queue postgres://";
const work = "pearl work postgres:// --until-empty -q";
const done = "test -s x.embeddings.parquet";
const right = "GRANT USAGE ON SCHEMA pearl_queue TO";
const rights = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA pearl_queue TO";
/** Runs a command beside a worker. */
const beside = (command: string): string =>
  `{ "$NODE" "$ENTRY" work postgres:// -q & worker=$!; code=0; ${command} || code=$?; kill $worker; wait $worker; (exit $code); }`;

/** A case with a database of its own, and so a queue of its own. */
function ofQueue(database: string, wrong: string, says: string, cured: string, before = "true"): Case {
  const own = `export PGDATABASE=${database};`;
  return {
    ...{ files: {}, says, before: `createdb ${database} && ${own} ${before}` },
    ...{ wrong: `${own} ${wrong}`, cured: `${own} ${cured}` },
  };
}

const cases = (folder: string): Readonly<Record<string, Case>> => ({
  "a queue that is no address": ofQueue(
    "named",
    "pearl work host/shop",
    "host/shop is no queue: write the address of its database, postgres://user@host/database",
    `pearl work 'postgres://pearl@/named?host=${folder}' --until-empty -q`,
  ),
  "a queue on a server that is not there": ofQueue(
    "served",
    `PGPORT=5999 ${encode}`,
    "Start PostgreSQL there, or correct the host and port in the address.",
    `PGPORT=5432 ${encode} && ${work} && ${done}`,
  ),
  "a worker with a wrong password": ofQueue(
    "locked",
    `PGUSER=secret PGPASSWORD=wrong ${work}`,
    "Put the right password into ~/.pgpass, PGPASSWORD or the address.",
    `PGUSER=secret PGPASSWORD=right ${work}`,
    `psql -qc "CREATE ROLE secret LOGIN PASSWORD 'right'" -c "GRANT CREATE ON DATABASE locked TO secret"`,
  ),
  "no right to make a queue": ofQueue(
    "granted",
    `PGUSER=maker ${encode}`,
    "permission denied for database granted. Let the owner grant it: GRANT CREATE ON DATABASE granted TO USER",
    `psql -qc "GRANT CREATE ON DATABASE granted TO maker" && export PGUSER=maker && ${encode} && ${work} && ${done}`,
    `psql -qc "CREATE ROLE maker LOGIN"`,
  ),
  "no right to use a queue": ofQueue(
    "shared",
    `PGUSER=guest ${work}`,
    `this user may not use the queue (permission denied for schema pearl_queue). Let its owner grant it: ${right} USER; ${rights} USER`,
    `psql -qc "${right} guest" -c "${rights} guest" && export PGUSER=guest && ${encode} && ${work} && ${done}`,
    `psql -qc "CREATE ROLE guest LOGIN" && ${work}`,
  ),
  "a result on standard output": ofQueue(
    "printed",
    "pearl submit join x.csv y.csv --on name -m none -q --queue postgres://",
    "the result of a queue is a file: name it with -o FILE",
    `pearl submit join x.csv y.csv --on name -m none -q --queue postgres:// -o j.csv && ${work} && test -s j.csv`,
  ),
  "a table that does not exist": ofQueue(
    "absent",
    encode.replace("x.csv", "z.csv"),
    "z.csv: no such file. Check the name.",
    `${encode} && ${work} && ${done}`,
  ),
  "a folder that a worker does not see": ofQueue(
    "mounted",
    `mv here there && ${work}`,
    "Make it available there under the same name, and start the worker again.",
    `mv there here && ${work} && test -s here/x.embeddings.parquet`,
    `mkdir here && cp x.csv here && (cd here && ${encode})`,
  ),
  "shards that fail": ofQueue(
    "failing",
    beside(`${encode.replace("-c name", "-c nom")} --retries 0 --wait`),
    "Correct this and submit the same command again: finished shards are kept.",
    `mv renamed.csv x.csv && ${beside(`${encode.replace("-c name", "-c nom")} --retries 0 --wait`)} && ${done}`,
    "sed s/name/nom/ x.csv >renamed.csv",
  ),
});

if (noServer === undefined) {
  const server = await startServer();
  afterAll(setEnvironment(server.environment));
  const table = "id,name\n1,Acme\n2,Bosch\n3,Siemens\n";
  claimCures(cases(server.folder), { files: { "x.csv": table, "y.csv": table } });
}
