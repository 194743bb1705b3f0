/** The frame of the command line: help, suggestions, exit codes, quiet endings. */
import { describe, expect, it } from "vitest";
import { pearl as pearlHere } from "./run-here.js";

describe("wrong usage", () => {
  it.each([
    [["modles"], "pearl: unknown command 'modles'", "models"],
    [["docter"], "pearl: unknown command 'docter'", "doctor"],
    [["models", "--jsn"], "pearl: unknown option '--jsn'", "--json"],
    [["--versoin"], "pearl: unknown option '--versoin'", "--version"],
  ])("%j ends with code 2 and suggests the right word", async (parameters, message, suggestion) => {
    const { code, stdout, stderr } = await pearlHere(parameters);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.split("\n")[0]).toBe(message);
    expect(stderr).toContain(`(Did you mean ${suggestion}?)`);
  });

  it("points to the help if no similar word exists", async () => {
    const { code, stderr } = await pearlHere(["models", "--frobnicate"]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `pearl: unknown option '--frobnicate'\nSee "pearl --help" or "pearl COMMAND --help".\n`,
    );
  });
});
