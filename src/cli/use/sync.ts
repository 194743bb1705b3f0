/** `pearl sync`: keeps embeddings of a table in PostgreSQL in step with it. */
import { UsageError } from "../../errors.js";
import { isPostgresAddress } from "../../files/place.js";
import type { SyncReport } from "../../stores/postgres/sync-table.js";
import { command } from "../command.js";
import { counted, formatCount } from "../format.js";
import { expectInterruption } from "../interruption.js";
import { commaSeparated, option, shared } from "../options.js";
import { encoderAfterTable, sourceOf } from "../session.js";
import { sayRows } from "./index-table.js";

export default command({
  name: "sync",
  summary: "keep embeddings of a table in PostgreSQL in step with it",
  arguments: [
    [
      "<address>",
      "postgres://user@host/database; postgres:// alone takes DATABASE_URL, or PGHOST, PGUSER and the like",
    ],
  ],
  options: [
    option("--table <name>", "the table, such as customers or sales.customers"),
    shared.column,
    option("--columns <names>", "what a search shows, with commas between (default: all)", commaSeparated),
    option("--key <column>", "a column without repeated values (default: the primary key)"),
    option("--dry-run", "change nothing: print the SQL and how many rows it would encode and remove"),
    option("--follow", "run until interrupted, and sync whenever the table changes"),
    option("--trigger", "install the trigger that --follow needs on the table"),
    option("--prompt <text>", 'text put before each phrase and query, such as "query: "'),
    shared.truncate,
    shared.int8,
    shared.model,
    shared.report,
    ...shared.run,
  ],
  examples: [
    ["pearl sync postgres://me@localhost/shop --table customers", "make or update customers_embeddings"],
    ["pearl sync postgres:// --table customers -c name --dry-run", "the SQL that would run in $DATABASE_URL"],
    ["pearl sync postgres:// --table customers --follow --trigger", "stay and follow every change"],
    ['pearl search postgres://me@localhost/shop?table=customers "toyota"', "the nearest rows"],
  ],
  run: async ([address], options, session) => {
    if (!isPostgresAddress(address))
      throw new UsageError(`${address} is no address of PostgreSQL: write postgres://user@host/database`);
    const { syncTable } = await import("../../stores/postgres/sync-table.js");
    const { model, dryRun, follow, trigger, table, column, columns, key, prompt, truncateDim } = options;
    const { say, signal } = session;
    const report = await syncTable(
      address,
      (found) => encoderAfterTable({ ...options, model: model ?? found.model }, session)(found),
      {
        ...{ table, column, columns, key, prompt, truncateDim, signal, onNote: say },
        modelName: sourceOf(options).source,
        changes: dryRun ? "print" : "run",
        until: follow ? "follow" : "once",
        trigger: trigger ? "install" : "leave",
        onProgress: (done, total) => session.show("encoding", done, total, "phrases"),
      },
    );
    // It has ended in order.
    if (follow === true) expectInterruption();
    if (dryRun === true) session.print(report.statements.map((statement) => `${statement};`).join("\n"));
    sayRows(report, session);
    if (dryRun === true) say(`would write ${resultLine(report)}`);
    else session.print(resultLine(report));
    await session.record(report);
  },
});

function resultLine({ embeddings, added, changed, removed, rows, dimension, storage }: SyncReport): string {
  const counts = `${formatCount(added)} new, ${formatCount(changed)} changed, ${formatCount(removed)} removed`;
  return `${embeddings}: ${counts}; ${counted(rows, "row")} × ${dimension} dimensions, ${storage}`;
}
