/** Addresses of PostgreSQL databases and tables: `postgres://user@host/database?table=customers`, without their passwords. */
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { TableError } from "../../errors.js";
import { isPostgresAddress } from "../../files/place.js";

/** Where a database is, and which table of it is meant. */
export interface PostgresAddress {
  /** The address as messages show it: without a password. */
  readonly shown: string;
  /** What `pg` connects with; undefined where PGHOST, PGUSER and the like say everything. */
  readonly url: string | undefined;
  /** The value of `?table=`, such as `customers` or `sales.customers`. */
  readonly table: string | undefined;
}

/** Key of the passwords, in data that worker threads inherit. */
const PASSWORDS = "pearl.passwords";

/**
 * Passwords taken out of addresses, by the rest of the address but its table: nothing that is printed or stored can hold
 * them. Threads that start later know them, too.
 */
const passwords = (): ReadonlyMap<string, string> =>
  (getEnvironmentData(PASSWORDS) as ReadonlyMap<string, string> | undefined) ?? new Map<string, string>();

/**
 * The address without its password, which is kept in memory for {@link parseAddress}; any other text as it is.
 * @throws TableError where it is open what is the password
 */
export function withoutPassword(text: string): string {
  if (!isPostgresAddress(text)) return text;
  const { scheme, userinfo, place, settings } = partsOf(text);
  const [user, ...rest] = userinfo?.split(":") ?? [];
  const password = rest.length > 0 ? decoded(rest.join(":")) : settings.get("password");
  settings.delete("password");
  const base = baseOf({ scheme, userinfo: user, place });
  const shown = withSettings(base, settings);
  settings.delete("table");
  if (password)
    setEnvironmentData(PASSWORDS, new Map([...passwords(), [withSettings(base, settings), password]]));
  return shown;
}

/** The same for a word of a command, which may be an option with its value: `--output=postgres://...`, `-opostgres://...`. */
export function wordWithoutPassword(word: string): string {
  const [option] = /^-[\w-]*=?(?=postgres(ql)?:\/\/)/i.exec(word) ?? [""];
  return option + withoutPassword(word.slice(option.length));
}

/**
 * Reads an address. `postgres://` alone, or with settings only (`postgres://?table=customers`), stands for the database of
 * DATABASE_URL or, where that is not set, of PGHOST, PGDATABASE, PGUSER and the like.
 * @throws TableError where DATABASE_URL is not such an address
 */
export function parseAddress(given: string): PostgresAddress {
  const shown = withoutPassword(given);
  const { scheme, userinfo, place, settings } = partsOf(shown);
  const table = settings.get("table") ?? undefined;
  settings.delete("table");
  if (userinfo === undefined && place === "" && settings.size === 0) {
    const fromEnvironment = process.env.DATABASE_URL;
    if (!fromEnvironment) return { shown, url: undefined, table };
    if (!isPostgresAddress(fromEnvironment))
      throw new TableError(
        "DATABASE_URL does not begin with postgres://. Set it to the address of the database: postgres://user@host/database",
      );
    return { ...parseAddress(fromEnvironment), table, shown };
  }
  const base = baseOf({ scheme, userinfo, place });
  const password = passwords().get(withSettings(base, settings));
  if (password !== undefined) settings.set("password", password);
  return { shown, url: withSettings(base, settings), table };
}

/** The table of an address that must name one. @throws TableError */
export function tableOf(address: string): string {
  const { shown, table } = parseAddress(address);
  if (table) return table;
  throw new TableError(`${shown}: which table? End the address in ?table=NAME.`);
}

/** The same database, with another table. */
export const addressOfTable = (address: string, table: string): string => {
  const parts = partsOf(withoutPassword(address));
  parts.settings.set("table", table);
  return withSettings(baseOf(parts), parts.settings);
};

function partsOf(text: string) {
  const scheme = text.slice(0, text.indexOf("://") + 3);
  // A password may hold any character where it is not written as a URL demands.
  const query = text.search(/\?([a-z_]+=|$)/i);
  const [base, settings] = query < 0 ? [text, ""] : [text.slice(0, query), text.slice(query + 1)];
  const login = base.slice(scheme.length);
  // In postgres://me:a?b=c@host the password is a or a?b=c.
  if (settings.includes("@") && /:.*@/s.test(text.slice(scheme.length)))
    throw new TableError(
      'postgres://...: the end of the password is unclear, because "@" follows "?". ' +
        'Write %3F for "?" in a password, and %40 for "@" after it.',
    );
  const at = login.lastIndexOf("@");
  return {
    scheme,
    userinfo: at < 0 ? undefined : login.slice(0, at),
    place: login.slice(at + 1),
    settings: new URLSearchParams(settings),
  };
}

const baseOf = ({ scheme, userinfo, place }: Omit<ReturnType<typeof partsOf>, "settings">): string =>
  `${scheme}${userinfo === undefined ? "" : `${userinfo}@`}${place}`;

const withSettings = (base: string, settings: URLSearchParams): string =>
  settings.size === 0 ? base : `${base}?${settings.toString().replaceAll("%2F", "/").replaceAll("%2C", ",")}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
