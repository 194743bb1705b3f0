/** `pearl demo`: two small tables without a shared key, joined and explained, to repeat with tables of one's own. */
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { alignColumns } from "../../files/text-table.js";
import { writeWholeFolder } from "../../files/whole-folder.js";
import { shellWord } from "../../shell-word.js";
import { command, register } from "../command.js";
import { counted } from "../format.js";
import { shared } from "../options.js";
import type { Session } from "../session.js";
import joinCommand from "./join.js";

const data = fileURLToPath(new URL("../../../data", import.meta.url));
const tables = ["companies.csv", "suppliers.csv"];
const output = "joined.csv";
const joining = ["join", ...tables, "--explain", "-o", output];

export default command({
  name: "demo",
  summary: "make two small tables without a shared key, join them, and explain the result",
  arguments: [["[folder]", "a new folder for the tables (default: pearl-demo)"]],
  options: [shared.report, shared.quiet],
  examples: [
    ["pearl demo", "in the new folder pearl-demo"],
    ["pearl demo try", "in another one"],
  ],
  run: async ([folder = "pearl-demo"], { quiet }, session) => {
    await writeWholeFolder(folder, async (whole) => {
      for (const name of tables) await copyFile(join(data, name), join(whole, name));
    });
    process.chdir(folder);
    session.print(`${folder}/companies.csv lists companies with their full names.
${folder}/suppliers.csv lists suppliers as people typed them. The two tables share no key.

  cd ${shellWord(folder)}
  npx pearl ${joining.join(" ")}
`);
    const program = new Command();
    register(program, joinCommand);
    await program.parseAsync([...joining, ...(quiet ? ["--quiet"] : [])], { from: "user" });
    await session.record({ folder, command: ["pearl", ...joining].join(" "), ...(await explain(session)) });
  },
});

/** Prints what the join found, and how to do the same with other tables. @returns what it found */
async function explain({ print }: Session) {
  const { readWholeTable } = await import("../../table/whole-table.js");
  const { columns, phrases } = await readWholeTable(output, { column: "right_supplier" });
  const { left_name: companies, probability: probabilities, why } = columns;
  const pairs = phrases.map((supplier, row) => ({
    ...{ supplier, company: companies[row] },
    ...{ probability: Number(probabilities[row]), why: why[row] },
  }));
  const lines = pairs.map((pair) => [pair.supplier, pair.company, pair.probability.toFixed(2)]);
  const last = pairs[pairs.length - 1];
  const { phrases: suppliers } = await readWholeTable(tables[1], { column: "supplier" });
  const unmatched = suppliers.filter((supplier) => !phrases.includes(supplier));
  print(`
${alignColumns([["SUPPLIER", "COMPANY", "PROBABILITY"], ...lines], (column) => column === 2)}

pearl found out that "name" and "supplier", and "city" and "place" hold the same, learned from the two tables how much it says
where they agree or differ, and joined the rows that are likely the same. No key, no rules and no labels were needed.
With 30 pairs or more, it also establishes that 90 % of them are right (--precision 0.9); fewer are for you to check.
${counted(unmatched.length, "supplier")} found no company that is likely enough: ${unmatched.join(", ")}.
The column "why" of ${output} explains each match. ${last.supplier} = ${last.company}:
  ${last.why}

Now your own tables. pearl chooses the columns; --on LEFT_COLUMN=RIGHT_COLUMN names them:
  npx pearl join LEFT.csv RIGHT.csv -o joined.csv
Or find the duplicates of one table:
  npx pearl dedupe TABLE.csv`);
  return { matches: pairs.length, pairs, unmatched };
}
