/** Tools for assistants over the Model Context Protocol: pearl's functions on the files of one folder. */
import { McpServer } from "@modelcontextprotocol/server";
import { packageVersion } from "../../files/package.js";
import { phraseTools } from "./phrase-tools.js";
import { tableTools } from "./table-tools.js";
import type { ToolContext } from "./tool.js";

/** A server with all tools, not connected yet. It does not dispose the encoder. */
export function createToolServer(context: ToolContext): McpServer {
  const server = new McpServer(
    { name: "pearl", version: packageVersion() },
    {
      instructions:
        "pearl matches names and rows of tables that are written differently. Paths are relative to its folder. " +
        "match_files and dedupe_file write nothing without `output`: look at the result first, tell the user how " +
        "sure it is (`promise.established`), then write to a new file.",
    },
  );
  tableTools(server, context);
  phraseTools(server, context);
  return server;
}
