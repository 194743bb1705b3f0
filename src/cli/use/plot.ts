/** `pearl plot`: draws a table's phrases as a map, in one file. */
import { stemOf } from "../../table/format.js";
import { command } from "../command.js";
import { counted, formatBytes, formatCount } from "../format.js";
import { option, positiveInteger, shared, wholeNumber } from "../options.js";
import { encoderAfterTable, tableSettings } from "../session.js";

export default command({
  name: "plot",
  summary: "draw the phrases of a table as a map: similar phrases lie close together",
  arguments: [["<file>", "the table; - reads standard input"]],
  options: [
    option("-o, --output <file>", ".html (zoom, search) or .svg (default: NAME.map.html)"),
    option("--color <column>", "colour by this column, or by `type`: the model's entity types"),
    option("--sample <n>", "draw at most n rows, chosen at random", positiveInteger, 3000),
    option("--neighbours <n>", "near phrases that each phrase should stay close to", positiveInteger, 15),
    option("--seed <n>", "random seed; the same seed gives the same map", wholeNumber, 0),
    option("--title <text>", "heading (default: the file's name)"),
    shared.report,
    ...shared.tableEncoding,
  ],
  examples: [
    ["pearl plot phrases.csv", "write phrases.map.html"],
    ["pearl plot phrases.csv --color kind -o map.svg", "a picture for slides, coloured by a column"],
    ["pearl plot names.txt --color type", "coloured by entity type"],
  ],
  run: async ([file], options, session) => {
    const { checkPlotName, plotTable } = await import("../../plot/plot-table.js");
    const { color, sample, neighbours, seed, title, output = `${stemOf(file)}.map.html` } = options;
    checkPlotName(output);
    const { drawn, rows, bytes } = await plotTable(file, output, encoderAfterTable(options, session), {
      ...tableSettings(options, session),
      ...{ color, sample, neighbours, seed, title },
      onProgress: session.show,
    });
    await session.record({ path: output, drawn, rows, bytes });
    session.print(
      `wrote ${output}: ${formatCount(drawn)} of ${counted(rows, "phrase")}, ${formatBytes(bytes)}`,
    );
  },
});
