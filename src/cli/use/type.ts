/** `pearl type`: classifies phrases with a model's type head. */
import { type TypeParts, typeParts, typeRecord } from "../../encoder/type-probabilities.js";
import { alignColumns } from "../../files/text-table.js";
import { type Cell, numberCell, textOfCell } from "../../table/cell.js";
import { type RowsFormat, rowsFormatOfName } from "../../table/format.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import { checkFormat, option, positiveInteger, shared, type TableOptions, tableOutput } from "../options.js";
import { loadEncoder, type Session, tableSettings } from "../session.js";
import { phrasesOrTable } from "./phrases-or-table.js";

interface TypedPhrase {
  readonly phrase: string;
  readonly types: readonly TypeParts[];
}

export default command({
  name: "type",
  summary: "classify phrases: lexical class and entity type, with probabilities",
  arguments: [["[phrases...]", "phrases, or one table of phrases; - reads a table from standard input"]],
  needs: "arguments",
  options: [
    option("-m, --model <model>", "model trained with types: folder or hub id (default: the embedded model)"),
    tableOutput("the types", "print"),
    shared.format,
    shared.phrase,
    ...shared.table,
    option("--top <n>", "types per phrase", positiveInteger, 1),
    shared.json,
    ...shared.run,
  ],
  examples: [
    ['pearl type "The New York Times" "in the end"', "two phrases"],
    ["pearl type phrases.csv -o types.csv", "a table"],
    ['pearl type "Paris" --model my-model --top 3 --json', "the three most probable types, for a program"],
  ],
  run: async ([given], options, session) => {
    const { output, format, phrase, top, json } = options;
    checkFormat(options);
    if (output !== undefined) rowsFormatOfName(format ? "-" : output);
    const input = await phrasesOrTable(given, phrase);
    const phrases = "table" in input ? await phrasesOf(input.table, options, session) : input.phrases;
    const encoder = await loadEncoder(options, session);
    const types = await encoder.types(phrases, {
      signal: session.signal,
      onProgress: (done, total) => session.show("typing", done, total, "phrases"),
    });
    const rows = phrases.map((phrase, row) => ({ phrase, types: typeParts(types[row]).slice(0, top) }));
    if (output !== undefined) await write(output, format, rows, session);
    else if (json) for (const row of rows) session.print(asJson(row));
    else {
      const cells = rows.flatMap(cellsOf).map((row) => row.map(textOfCell));
      session.print(alignColumns([header, ...cells], (place) => place >= 3));
    }
  },
});

export async function phrasesOf(
  path: string,
  options: TableOptions,
  session: Session,
): Promise<readonly string[]> {
  const { readWholeTable } = await import("../../table/whole-table.js");
  return (await readWholeTable(path, tableSettings(options, session).table)).phrases;
}

const probabilities = ["probability", "class_probability", "type_probability"];
const header = ["phrase", "class", "type", ...probabilities];

function cellsOf({ phrase, types }: TypedPhrase): Cell[][] {
  if (types.length === 0) return [[phrase, "", "", null, null, null]];
  return types.map(({ lexical, entity, both, ofClass, ofEntity }) => [
    ...[phrase, lexical, entity],
    ...[both, ofClass, ofEntity].map((probability) => numberCell(probability, 3)),
  ]);
}

const asJson = ({ phrase, types }: TypedPhrase): string =>
  JSON.stringify({ phrase, types: types.map(typeRecord) });

async function write(
  path: string,
  format: RowsFormat | undefined,
  rows: readonly TypedPhrase[],
  { wrote }: Session,
): Promise<void> {
  const { writeRows, writeText } = await import("../../table/write/text-rows.js");
  if ((format ?? rowsFormatOfName(path)) === "jsonl") {
    await writeText(path, [rows.map((row) => `${asJson(row)}\n`).join("")]);
  } else {
    const numbers = probabilities.map((name) => ({ name, type: "DOUBLE" }));
    await writeRows(path, ["phrase", "class", "type", ...numbers], [rows.flatMap(cellsOf)], format);
  }
  wrote(path, `types of ${counted(rows.length, "phrase")}`, { phrases: rows.length });
}
