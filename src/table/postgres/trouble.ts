/** Failures of PostgreSQL as one line that names the place and the cure. */
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, PearlError, TableError } from "../../errors.js";

/** The connection was lost or the server went down: the same work may succeed on a new connection. */
export class ConnectionLost extends TableError {}

/** Seconds before each new connection after one was lost. */
const pauses = [1, 2, 4, 8, 15];

/**
 * Waits before a new connection.
 * @param lost how many were lost in a row before
 * @throws the error where it is another one, or connections were lost too often
 */
export async function pauseAfterLoss(
  error: unknown,
  lost: number,
  { signal, onNote }: { readonly signal?: AbortSignal; readonly onNote?: (note: string) => void },
): Promise<void> {
  if (!(error instanceof ConnectionLost) || lost >= pauses.length) throw error;
  onNote?.(
    `${error.message.replace(/ Run the command again\.$/, "")} Connecting again in ${pauses[lost]} s.`,
  );
  await sleep(1000 * pauses[lost], undefined, { signal });
}

/** What `pg` adds to an error. */
interface PostgresError extends Error {
  /** SQLSTATE of the server, or a code of the system. */
  readonly code?: string;
  readonly detail?: string;
}

/** Codes of a server that is not there, as while it restarts. */
const unreachable = ["ECONNREFUSED", "ENOENT", "ETIMEDOUT", "EHOSTUNREACH"];

const isLost = (code: string, message: string): boolean =>
  /^(08|57P0)/.test(code) ||
  ["ECONNRESET", "EPIPE"].includes(code) ||
  /connection (terminated|error|was closed)|not queryable|closed the connection/i.test(message);

/** @param shown the address without its password */
export function postgresTrouble(error: unknown, shown: string): PearlError {
  if (error instanceof PearlError) return error;
  const { code = "", detail } = error as PostgresError;
  const message = messageOf(error).split("\n", 1)[0];
  const cure = cureOf(code, message, detail);
  const Kind = unreachable.includes(code) ? ConnectionLost : TableError;
  if (cure !== undefined) return new Kind(`${shown}: ${cure}`, { cause: error });
  if (isLost(code, message))
    return new ConnectionLost(`${shown}: the connection was lost (${message}). Run the command again.`, {
      cause: error,
    });
  return new TableError(`${shown}: ${message}${detail === undefined ? "" : ` (${detail})`}`, {
    cause: error,
  });
}

/** Whether a statement waited for a table longer than `lock_timeout` allows. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof PearlError && (error.cause as PostgresError | undefined)?.code === "55P03";

function cureOf(code: string, message: string, detail = ""): string | undefined {
  switch (code) {
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `no such host (${message}). Check the host in the address.`;
    case "ECONNREFUSED":
    case "ENOENT":
    case "ETIMEDOUT":
    case "EHOSTUNREACH":
      return `no server answers (${message}). Start PostgreSQL there, or correct the host and port in the address.`;
    case "ERR_INVALID_URL":
      return "is not a valid address. Write postgres://user@host:port/database?table=NAME.";
    case "28P01":
      return `${message}. Put the right password into ~/.pgpass, PGPASSWORD or the address.`;
    case "28000":
      return `the server refuses this login (${message}). Use a user that may log in, as in postgres://user@host/database.`;
    case "3D000":
      return `${message}. Name a database that exists, or make it: createdb NAME`;
    case "53100":
      return `no space left on the server's disk (${message}). Free some and run the command again; what was written stays.`;
    case "42501":
      return `${message}. Let the owner grant it: ${grantFor(message)}`;
    case "2BP01":
      return `${message} (${detail.replaceAll("\n", "; ")}). Remove these first, or name another table.`;
    case "57014":
      return `${message}. Set a longer statement_timeout for this user and run the command again.`;
    default:
      if (/timeout expired|timed? ?out/i.test(message) && code === "")
        return "the server does not answer. Check the host and port in the address.";
      if (/password must be a string|no password/i.test(message))
        return "the server wants a password. Put one into ~/.pgpass, PGPASSWORD or DATABASE_URL.";
      return undefined;
  }
}

/** The statement that gives the right which a message misses. */
function grantFor(message: string): string {
  const [, kind = "table", name = "NAME"] = /permission denied for (\w+) (\S+)/.exec(message) ?? [];
  if (kind === "database") return `GRANT CREATE ON DATABASE ${name} TO USER`;
  if (kind === "schema") return `GRANT USAGE, CREATE ON SCHEMA ${name} TO USER`;
  if (/must be owner/.test(message)) return "ALTER TABLE NAME OWNER TO USER";
  return `GRANT SELECT, INSERT, UPDATE, DELETE ON ${name} TO USER`;
}
