/** Tools for assistants over the Model Context Protocol: pearl's functions on the files of one folder. */
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { typeParts, typeRecord } from "../../encoder/type-probabilities.js";
import { packageVersion } from "../../files/package.js";
import { searchPhrases } from "../../search/phrase-search.js";
import { VectorIndex } from "../../search/vector-index.js";
import { answer, shortCells, type ToolContext } from "./files.js";
import { tableTools } from "./table-tools.js";

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

const annotations = { readOnlyHint: true, openWorldHint: false };
const phrases = z.array(z.string().max(8192)).min(1).max(100);

function phraseTools(server: McpServer, { encoder, files }: ToolContext): void {
  server.registerTool(
    "compare_phrases",
    {
      title: "Compare phrases",
      description:
        "Cosine similarity of each phrase of `a` with each of `b`: near 1 if they mean the same, however they are written.",
      inputSchema: z.strictObject({ a: phrases, b: phrases }),
      annotations,
    },
    async ({ a, b }) =>
      answer({ similarity: (await encoder.similarity(a, b)).map((row) => Array.from(row)) }),
  );

  server.registerTool(
    "type_phrases",
    {
      title: "Type phrases",
      description:
        "What kind of thing each phrase names: a lexical class (NP, VP ...) and an entity type (PERSON, ORG, GPE ...), with probabilities.",
      inputSchema: z.strictObject({ phrases, top: z.int().min(1).max(10).default(1) }),
      annotations,
    },
    async ({ phrases, top }, { mcpReq: { signal } }) => {
      const found = await encoder.types(phrases, { signal });
      const results = phrases.map((phrase, row) => {
        return { phrase, types: typeParts(found[row]).slice(0, top).map(typeRecord) };
      });
      return answer({ results });
    },
  );

  server.registerTool(
    "search_index",
    {
      title: "Search an index",
      description:
        "The rows of an index (made by `pearl index build`) that are most similar to each phrase, best first.",
      inputSchema: z.strictObject({
        index: z.string().describe("folder of the index"),
        phrases,
        limit: z.int().min(1).max(50).default(5).describe("rows for each phrase"),
        where: z.string().max(8192).optional().describe("what rows must meet, such as city = 'Ulm'"),
      }),
      annotations,
    },
    async ({ index: path, phrases, limit: k, where }, { mcpReq: { signal } }) => {
      const index = await VectorIndex.open(await files.existingFolder(path));
      try {
        const hits = await searchPhrases(index, encoder, phrases, { k, where, signal });
        const results = phrases.map((phrase, row) => ({
          phrase,
          rows: hits[row].map(({ key, score, cells }) => ({
            key,
            similarity: score,
            cells: shortCells(cells),
          })),
        }));
        return answer({ results });
      } finally {
        await index.close();
      }
    },
  );
}
