/** Which columns of a table a training on pairs reads, and what to say where an objective lacks one. */
import { TableError } from "../../errors.js";
import type { ObjectiveColumn } from "../../objectives/objective.js";
import { type ObjectiveName, objectiveNamed } from "../../objectives/registry.js";

/** What a training reads besides text, positive, negative and type. */
export interface WantedColumns {
  /** Default "nt-xent". */
  readonly objective?: ObjectiveName;
  /** "view": a table of phrases alone is enough, since a view of each is its positive. */
  readonly positives?: "column" | "view";
}

/** Names of columns; undefined for those that the table lacks or the objective does not read. */
export interface PairColumns {
  readonly text: string;
  /** Absent: the positive is the text itself, or another text of its label. */
  readonly positive?: string;
  readonly negative?: string;
  readonly type?: string;
  readonly label?: string;
  readonly score?: string;
}

/** @throws TableError for a table without a column that is needed */
export function pairColumns(
  name: string,
  columns: readonly string[],
  { objective = "nt-xent", positives = "column" }: WantedColumns,
): PairColumns {
  const named = (wanted: string) => columns.find((column) => column.trim().toLowerCase() === wanted);
  const { needs } = objectiveNamed(objective);
  const read = Object.fromEntries(
    (["label", "score"] as const).flatMap((column) => {
      const need = needs[column];
      const found = named(column);
      if (need === "required" && found === undefined) throw lacking(name, columns, objective, column);
      return need && found !== undefined ? [[column, found]] : [];
    }),
  );
  const [text, positive] = [named("text"), named("positive")];
  const others = { negative: named("negative"), type: named("type"), ...read };
  if (text !== undefined && positive !== undefined) return { text, positive, ...others };
  const phrases = columns.filter((column) => !Object.values(read).includes(column));
  const isAlone = read.label !== undefined || positives === "view";
  if (isAlone && (text !== undefined || phrases.length === 1)) return { text: text ?? phrases[0], ...others };
  if (positives === "view" && phrases.length > 1)
    throw new TableError(
      `${name}: a view needs to know which of the columns ${phrases.join(", ")} holds the phrases. ` +
        "Name it text, and the other side positive where the rows are pairs.",
    );
  if (phrases.length >= 2) return { text: phrases[0], positive: phrases[1], ...read };
  throw new TableError(
    `${name}: found one column (${columns[0]}), expected two: a phrase and one that means the same ` +
      "(columns text and positive, optionally negative and type). Phrases alone need a view, such as --view cutoff.",
  );
}

const meanings: Readonly<Record<ObjectiveColumn, string>> = {
  label: "the class of the text",
  score: "how similar text and positive are",
};

const examples: Readonly<Record<ObjectiveColumn, readonly string[]>> = {
  label: ["text,label", "International Business Machines,ibm", "IBM Corp,ibm"],
  score: ["text,positive,score", "The New York Times,NY Times,0.95", "The New York Times,The Times,0.3"],
};

const lacking = (name: string, columns: readonly string[], objective: string, column: ObjectiveColumn) =>
  new TableError(
    `${name}: the objective ${objective} needs the column ${column}, ${meanings[column]}. ` +
      `The table has ${columns.join(", ")}. It must look like this:\n` +
      examples[column].map((line) => `  ${line}`).join("\n"),
  );
