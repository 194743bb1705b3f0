/** `pearl mcp`: tools for assistants over standard input and output, until the assistant closes it. */
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { UsageError } from "../../errors.js";
import type { ToolContext } from "../../serve/mcp/files.js";
import { command } from "../command.js";
import { aborted, expectInterruption } from "../interruption.js";
import { option, shared } from "../options.js";
import { loadEncoder } from "../session.js";

export default command({
  name: "mcp",
  summary: "tools for assistants (Model Context Protocol over standard input and output)",
  options: [
    option("--root <folder>", "the folder whose files the tools may read and add to", String, "."),
    shared.model,
    ...shared.run,
  ],
  examples: [
    ["pearl mcp --root ~/tables", "the command that an assistant is configured to start"],
    ["pearl mcp", "the files of the folder that the assistant starts it in"],
  ],
  run: async (_, { root, ...options }, session) => {
    const isFolder = await stat(root).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) throw new UsageError(`${root}: no such folder. Name one with --root.`);
    const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
    const { confinedFiles } = await import("../../serve/mcp/files.js");
    const { createToolServer } = await import("../../serve/mcp/server.js");
    const encoder = await loadEncoder(options, session);
    const evaluate: ToolContext["evaluate"] = async (tables, options) => {
      const { evaluateTables } = await import("../../benchmark/evaluate.js");
      return { ...(await evaluateTables(tables, { ...options, encoder })) };
    };
    const context = { files: await confinedFiles(root), encoder, evaluate };
    const connection = serveStdio(() => createToolServer(context));
    session.atEnd(() => connection.close());
    const { signal } = session;
    await Promise.race([once(process.stdin, "end"), once(process.stdin, "close"), aborted(signal)]);
    if (signal.aborted) expectInterruption();
  },
});
