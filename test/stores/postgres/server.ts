/** A PostgreSQL of the machine, run by the test in a folder of its own on a Unix socket, as a user without rights. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll } from "vitest";
import { connectPostgres, type PostgresConnection } from "../../../src/table/postgres/connection.js";

/** The programs of the newest server that Debian installed; undefined where there is none. */
function serverPrograms(): string | undefined {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).map(Number) : [];
  const folders = versions.sort((a, b) => b - a).map((version) => join(root, String(version), "bin"));
  return folders.find((folder) => existsSync(join(folder, "initdb")));
}

const programs = serverPrograms();
/** The server refuses to run as root: then Debian's user runs it. */
const [uid, gid] =
  process.getuid?.() === 0
    ? ["-u", "-g"].map((flag) =>
        Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout.trim()),
      )
    : [process.getuid?.(), process.getgid?.()];

/** Why no server can be started here; undefined where one can. */
export const noServer =
  programs === undefined ? "PostgreSQL is not installed (apt-get install postgresql)" : undefined;
if (noServer !== undefined) console.info(`skipped: ${noServer}`);

export interface Server {
  /** The address of its database, `&` after which further settings may stand. */
  readonly address: string;
  /** The folder of its socket and its data. */
  readonly folder: string;
  /** The environment with which `postgres://` is this database. */
  readonly environment: Readonly<Record<string, string>>;
  /** A connection that ends with the tests. */
  readonly connection: PostgresConnection;
  sql<Row = Record<string, unknown>>(statements: string): Promise<Row[]>;
  /** Runs pg_ctl, such as ["restart", "-m", "immediate"]. */
  control(...words: string[]): void;
}

/** Starts a server that stops after the tests of the file. Users log in without a password, but `secret` with one. */
export async function startServer(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "pg-"));
  const data = join(folder, "data");
  mkdirSync(data);
  for (const place of [folder, data]) chownSync(place, uid!, gid!);
  // The temporary folders of a test run are their maker's alone.
  for (let place = dirname(folder); basename(place).startsWith("pearl-tests-"); place = dirname(place))
    chmodSync(place, 0o711);
  run("initdb", "-D", data, "-U", "pearl", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8");
  writeFileSync(join(data, "pg_hba.conf"), "local all secret scram-sha-256\nlocal all all trust\n");
  const settings = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c fsync=off -c shared_buffers=32MB -c max_connections=20`;
  const control = (...words: string[]): void =>
    run("pg_ctl", ...words, "-D", data, "-w", "-s", "-l", join(folder, "log"), "-o", settings);
  control("start");
  afterAll(() => {
    run("pg_ctl", "stop", "-D", data, "-m", "immediate", "-s");
    rmSync(folder, { recursive: true, force: true });
  });
  const address = `postgres://pearl@/postgres?host=${folder}`;
  const connection = await connectPostgres(address);
  afterAll(() => connection.close());
  const environment = { PGHOST: folder, PGUSER: "pearl", PGDATABASE: "postgres" };
  return {
    address,
    folder,
    environment,
    connection,
    control,
    sql: (statements) => connection.query(statements),
  };
}

function run(program: string, ...words: string[]): void {
  const { status, stderr, stdout } = spawnSync(join(programs!, program), words, {
    ...{ uid, gid, encoding: "utf8", cwd: "/", stdio: ["ignore", "pipe", "pipe"] },
    env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
  });
  if (status !== 0) throw new Error(`${program}: ${stderr}${stdout}`);
}
