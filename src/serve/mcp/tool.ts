/** What the tools share: what they work with, and the form of their answers. */
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import type { ConfinedFiles } from "./files.js";

export interface ToolContext {
  readonly encoder: PhraseEncoder;
  readonly files: ConfinedFiles;
}

/** A tool's answer, as data and as the same in text for clients that read only that. */
export const answer = (found: Record<string, unknown>) => ({
  content: [{ type: "text" as const, text: JSON.stringify(found) }],
  structuredContent: found,
});

/** Characters of a cell that an answer shows. */
const mostCharacters = 200;

/** A row's filled cells, long ones cut. */
export const shortCells = (cells: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cells)
      .filter(([, cell]) => cell !== "")
      .map(([name, cell]) => [
        name,
        cell.length > mostCharacters ? `${cell.slice(0, mostCharacters)}…` : cell,
      ]),
  );
