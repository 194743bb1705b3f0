/** A PostgreSQL server and pearl-strings, for the tests of the group that calls this. */
import { beforeAll } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type SyncTableOptions, syncTable } from "../../../src/stores/postgres/sync-table.js";
import { type Server, startServer } from "../../stores/postgres/server.js";

export function syncedServer() {
  let server: Server;
  let encoder: PhraseEncoder;
  beforeAll(async () => {
    [server, encoder] = await Promise.all([
      startServer(),
      PhraseEncoder.load("pearl-strings", { device: "cpu" }),
    ]);
    return () => encoder.dispose();
  });
  return {
    /** Both exist once the tests run. */
    get server() {
      return server;
    },
    get encoder() {
      return encoder;
    },
    sync: (table: string, options: SyncTableOptions = {}) =>
      syncTable(server.address, encoder, { table, ...options }),
  };
}
