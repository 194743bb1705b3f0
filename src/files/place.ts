/** Where a name leads: to a file or folder, or by its scheme to an address that pearl knows. */
import { UsageError } from "../errors.js";

const addresses = { s3: "objects", postgres: "postgres", postgresql: "postgres" } as const;

/** Undefined for the name of a file, such as `C:\names.csv`. */
const schemeOf = (name: string): string | undefined =>
  /^((?:jdbc:)?[a-z][a-z\d+.-]+):\/\//i.exec(name)?.[1].toLowerCase();

const kindOf = (name: string): "objects" | "postgres" | undefined =>
  (addresses as Readonly<Record<string, "objects" | "postgres">>)[schemeOf(name) ?? ""];

/** Whether a name is an address in object storage: `s3://bucket/key` names an object, or a folder where keys go on. */
export const isObjectAddress = (name: string): boolean => kindOf(name) === "objects";

/** Whether a name is an address of PostgreSQL. */
export const isPostgresAddress = (name: string): boolean => kindOf(name) === "postgres";

/** The file of a name, and what of it is meant: a sheet of a workbook, `book.xlsx?sheet=Orders`, or a table, `shop.db?table=orders`. */
export function tablePlace(name: string): { file: string; part: string; table?: string; sheet?: string } {
  const form = /^(?<file>.+?)(?<part>\?(?:(?<=\.xls[xm]\?)sheet=(?<sheet>.+)|table=(?<table>.*)))$/is;
  const found = isPostgresAddress(name) ? undefined : form.exec(name)?.groups;
  return { file: name, part: "", ...found };
}

/** @throws UsageError for an address that nothing here reads or writes */
export function refuseUnknownAddress(name: string): void {
  const scheme = schemeOf(name);
  if (scheme === undefined || kindOf(name) !== undefined) return;
  if (scheme === "file") throw new UsageError(`${name}: write a path, without file://`);
  throw new UsageError(
    `${name}: pearl has no access to ${scheme}:// addresses. Name a file, or an address that begins with s3:// or postgres://.`,
  );
}
