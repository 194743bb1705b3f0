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

/** A row's filled cells, each cut to 200 characters. */
export const shortCells = (cells: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cells)
      .filter(([, cell]) => cell !== "")
      .map(([name, cell]) => [name, cell.replace(/^(.{200}).+$/su, "$1…")]),
  );
