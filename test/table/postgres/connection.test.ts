/** What a connection does where a server refuses a setting, without one: `pg` is replaced by what it would answer. */
import { createRequire } from "node:module";
import type pg from "pg";
import { afterEach, expect, it, vi } from "vitest";
import { connectPostgres } from "../../../src/table/postgres/connection.js";

const { Client } = createRequire(import.meta.url)("pg") as typeof pg;
afterEach(() => vi.restoreAllMocks());

/** A server of version 15 that refuses statements which contain `refused`. @returns the spy on the end of the session */
function serverRefusing(refused: string) {
  vi.spyOn(Client.prototype, "connect").mockImplementation(async () => {});
  vi.spyOn(Client.prototype, "query").mockImplementation(async (sql: unknown) => {
    if (String(sql).includes(refused)) throw new Error(`invalid value for parameter "${refused}"`);
    return { rows: [{ version: 150_000 }] };
  });
  return vi.spyOn(Client.prototype, "end").mockImplementation(async () => {});
}

it("connects to a server that cannot notice the end of a client, such as one on Windows", async () => {
  const end = serverRefusing("client_connection_check_interval");
  const connection = await connectPostgres("postgres://me@host/shop");
  expect(end).not.toHaveBeenCalled();
  await connection.close();
});

it("ends the session where another statement fails", async () => {
  const end = serverRefusing("server_version_num");
  await expect(connectPostgres("postgres://me@host/shop")).rejects.toThrow("server_version_num");
  expect(end).toHaveBeenCalledOnce();
});
