/** Addresses of PostgreSQL: what connects, and what may be printed. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  addressOfTable,
  parseAddress,
  withoutPassword,
  wordWithoutPassword,
} from "../../../src/table/postgres/address.js";
import { setEnvironment } from "../../setup/environment.js";

/** What `pg` reads of the address that it gets. */
const read = (address: string) => {
  const { url = "" } = parseAddress(address);
  const { username, hostname, port, pathname, searchParams } = new URL(url);
  return { username, hostname, port, pathname, ...Object.fromEntries(searchParams) };
};

describe("an address with a password", () => {
  it.each([
    ["postgres://me:s3cret@host:5433/shop", "postgres://me@host:5433/shop", "s3cret"],
    [
      "postgresql://me:s3%40cret@host/shop?sslmode=require",
      "postgresql://me@host/shop?sslmode=require",
      "s3@cret",
    ],
    ["postgres://me:p@ss:w/rd#?!@host/shop", "postgres://me@host/shop", "p@ss:w/rd#?!"],
    ["postgres://me:100%@host/shop", "postgres://me@host/shop", "100%"],
    ["postgres://me:p%3Fa=b@host/shop", "postgres://me@host/shop", "p?a=b"],
    ["postgres://me@host/shop?password=s3cret", "postgres://me@host/shop", "s3cret"],
    ["postgres://me@host/shop?password=s3@cret", "postgres://me@host/shop", "s3@cret"],
  ])("%s is shown as %s and connects with it", (given, shown, password) => {
    expect(withoutPassword(given)).toBe(shown);
    expect(parseAddress(given).shown).toBe(shown);
    expect(read(shown)).toMatchObject({ password, username: "me", hostname: "host", pathname: "/shop" });
    expect(addressOfTable(given, "customers")).not.toContain(encodeURIComponent(password));
  });
});

it.each([
  "postgres://me:p?a=b@host/shop",
  "postgres://me:s3@cret?a=b@host/shop?table=x",
  "postgres://me:1234?password=@cret@host",
  "postgresql://me:?a=b/c:d\n@host/shop",
  "postgres://me?a=b:cret@host/shop",
  "postgres://me:s3cret@host/shop?user=you@there",
])("an address that does not show where its password ends is refused without a part of it: %j", (given) => {
  const message =
    'postgres://...: the end of the password is unclear, because "@" follows "?". ' +
    'Write %3F for "?" in a password, and %40 for "@" after it.';
  for (const use of [
    withoutPassword,
    parseAddress,
    wordWithoutPassword,
    (text: string) => addressOfTable(text, "x"),
  ])
    expect(() => use(given)).toThrow(message);
  expect(() => wordWithoutPassword(`--output=${given}`)).toThrow(message);
});

it("is known with its password in a thread that starts later, as under a review's page", async () => {
  const shown = withoutPassword("postgres://me:inherited@host/shop?table=people");
  const module = JSON.stringify(new URL("../../../dist/table/postgres/address.js", import.meta.url).href);
  const thread = `import(${module}).then(({ parseAddress }) =>
    require("node:worker_threads").parentPort.postMessage(parseAddress(${JSON.stringify(shown)}).url))`;
  const [url] = await once(new Worker(thread, { eval: true }), "message");
  expect(url).toBe("postgres://me@host/shop?password=inherited");
});

describe("a word of a command", () => {
  it.each(["", "--output=", "--review-out=", "-o", "-qo"])("%spostgres://... holds no password", (option) => {
    for (const scheme of ["postgres", "PostgreSQL"])
      expect(wordWithoutPassword(`${option}${scheme}://me:s3cret@host/shop?table=x`)).toBe(
        `${option}${scheme}://me@host/shop?table=x`,
      );
  });

  it("stays as it is where it names no address", () => {
    for (const word of ["--output=x.csv", "-o", "--", "-postgres", "--phrase=see postgres://a:b@c"])
      expect(wordWithoutPassword(word)).toBe(word);
  });
});

describe("an address", () => {
  it("names a table, which the server does not see", () => {
    const { table, url } = parseAddress("postgres://me@host/sales?table=sales.customers&connect_timeout=3");
    expect(table).toBe("sales.customers");
    expect(url).toBe("postgres://me@host/sales?connect_timeout=3");
    expect(addressOfTable("postgres://me@/shop?host=/run/pg", "a b")).toBe(
      "postgres://me@/shop?host=/run/pg&table=a+b",
    );
  });

  it("without a database is that of DATABASE_URL, else of PGHOST and the like", () => {
    const restore = setEnvironment({ DATABASE_URL: "postgres://you:hidden@there/db" });
    onTestFinished(restore);
    expect(parseAddress("postgres://?table=t")).toMatchObject({ shown: "postgres://?table=t", table: "t" });
    expect(read("postgres://?table=t")).toMatchObject({
      username: "you",
      hostname: "there",
      password: "hidden",
    });
    setEnvironment({ DATABASE_URL: undefined });
    expect(parseAddress("postgres://").url).toBeUndefined();
  });

  it("is nothing else: names of files stay as they are", () => {
    for (const text of ["data/postgres:x.csv", "a@b:c", "s3://me:x@host/y"])
      expect(withoutPassword(text)).toBe(text);
  });
});
