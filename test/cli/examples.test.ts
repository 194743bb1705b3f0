/** The examples that commands declare: each parses, and a command without arguments shows them. */
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { type AnyCommand, register } from "../../src/cli/command.js";
import { loadCommands } from "../../src/cli/commands.js";
import { pearl } from "./run-here.js";

/** A command and the commands inside it. */
const withInner = (declared: AnyCommand): AnyCommand[] => [
  declared,
  ...(declared.commands ?? []).flatMap(withInner),
];

/** The same commands, which do nothing when they run. */
const idle = (declared: AnyCommand): AnyCommand => ({
  ...declared,
  ...(declared.run && { run: async () => {} }),
  ...(declared.commands && { commands: declared.commands.map(idle) }),
});

/** The words of an example line up to a redirection, as a shell splits them. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ >>? .*$/, "").matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);

const all = await loadCommands();
// The commands listen for signals, with which the runner ends its workers.
for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
const examples = all.flatMap(withInner).flatMap(({ examples }) => examples.map(([line]) => line));

describe("examples of commands", () => {
  it.each([...new Set(examples)])("%s: parses", async (line) => {
    const program = new Command("pearl").exitOverride();
    program.configureOutput({ writeErr: () => {} });
    for (const declared of all) register(program, idle(declared), async () => {});
    const [name, ...words] = wordsOf(line);
    expect(name).toBe("pearl");
    await program.parseAsync(words, { from: "user" });
  });

  it.each([
    [["encode"], "pearl encode phrases.csv"],
    [["type"], 'pearl type "The New York Times"'],
    [["index", "build"], "pearl index build companies.csv -o companies.index"],
    [["index"], "pearl index info companies.index"],
    [["ablate"], "pearl ablate --corpus corpus/"],
  ])("pearl %s alone: shows up to three examples on stderr, with exit code 2", async (words, example) => {
    const { code, stdout, stderr } = await pearl(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`  ${example}`);
    expect(stderr.split("Examples:\n")[1].trimEnd().split("\n").length).toBeLessThanOrEqual(3);
  });

  it("a mistyped command or option is answered with the right one", async () => {
    expect(await pearl(["dedup", "x.csv"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Did you mean dedupe?"),
    });
    const option = await pearl(["dedupe", "x.csv", "--precison", "0.9"]);
    expect(option.code).toBe(2);
    expect(option.stderr).toContain("Did you mean --precision?");
  });
});
