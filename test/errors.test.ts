/** Errors: what they never show. */
import { describe, expect, it } from "vitest";
import { messageOf, PearlError, redacted } from "../src/errors.js";

describe("a message", () => {
  it.each([
    ["mysql://me:s3cr@t/w?@host/db: no", "mysql://me:***@host/db: no"],
    ["https://me:s3cret@host/x", "https://me:***@host/x"],
    ["https://s3cret@host/x", "https://***@host/x"],
    ["s3://KEY:s3/cret@bucket/x.csv.", "s3://KEY:***@bucket/x.csv."],
    ["mongodb+srv://me:s3cret@h", "mongodb+srv://me:***@h"],
    ["jdbc:postgresql://h/db?user=me&password=s3cret: no", "jdbc:postgresql://h/db?user=me&password=***: no"],
    ["jdbc:sqlserver://h;user=sa;Pwd=s3cret;x=1", "jdbc:sqlserver://h;user=sa;Pwd=***;x=1"],
    ["jdbc:oracle:thin:scott/s3cret@h:1521/x", "jdbc:oracle:thin:scott/***@h:1521/x"],
    ["az://c/x?sv=1&sig=s3cret&se=2", "az://c/x?sv=1&sig=***&se=2"],
    ["https://h/x?X-Amz-Signature=s3cret", "https://h/x?X-Amz-Signature=***"],
    ["host=db password=s3cret dbname=x", "host=db password=*** dbname=x"],
    ["host=db password = 'my \\' s3cret' user=me", "host=db password = *** user=me"],
  ])("shows no secret of %s", (text, shown) => {
    expect(redacted(text)).toBe(shown);
    expect(new PearlError(text).message).toBe(shown);
    expect(messageOf(new Error(text))).toBe(shown);
  });

  it("stays as it is where there is none", () => {
    for (const text of [
      "postgres://me@localhost:5432/shop?table=a@b, row 3: Anna <a@b.org>",
      "http://localhost:8080/v1 answers; see https://example.org/@scope",
      "names.csv: --on token=jeton, key=id: there is no column token",
      "Put the right password into ~/.pgpass, PGPASSWORD or the address.",
    ])
      expect(redacted(text)).toBe(text);
  });
});
