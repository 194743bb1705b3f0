/** CSV files as rows, and what pearl found as CSV files and as pairs to show. */
import Papa from "papaparse";

/** Reads a file with a header. Rows are counted as an editor counts lines. */
export async function readCsv(file) {
  const text = new TextDecoder("utf-8", { fatal: true });
  const content = await file.arrayBuffer().then((bytes) => {
    try {
      return text.decode(bytes);
    } catch {
      throw new Error(`${file.name} is not in UTF-8. Save it as CSV UTF-8.`);
    }
  });
  const { data, errors, meta } = Papa.parse(content, { header: true, skipEmptyLines: "greedy" });
  // a table of one column has no delimiter to find
  const [error] = errors.filter(({ code }) => code !== "UndetectableDelimiter");
  if (error)
    throw new Error(
      `${file.name}, row ${(error.row ?? 0) + 1}: ${error.message}. Quote cells that contain commas.`,
    );
  if (data.length === 0) throw new Error(`${file.name} has no rows below its header.`);
  return { name: file.name, rows: data, names: meta.fields };
}

/** A row in a line: the cells that were compared. */
const shown = (row, names) =>
  names
    .map((name) => row[name])
    .filter((cell) => cell !== undefined && cell !== "")
    .join(", ");

const compared = (columns, side) =>
  columns.filter(({ kind }) => kind !== undefined).map((column) => column[side]);
const counted = (count, one, several) => `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
const prefixed = (prefix, row, names) =>
  Object.fromEntries(names.map((name) => [`${prefix}_${name}`, row[name]]));

/** The columns of `pearl join --explain`. */
export function joinFiles(left, right, { matches, columns, summary, promise }) {
  const joined = matches.map((match) => ({
    ...prefixed("left", left.rows[match.left], left.names),
    ...prefixed("right", right.rows[match.right], right.names),
    probability: match.probability.toFixed(4),
    why: match.why,
  }));
  const rows = new Set(matches.map((match) => match.right)).size;
  return {
    title: `${counted(matches.length, "match", "matches")} for ${rows} of ${counted(right.rows.length, "row", "rows")}`,
    ...{ summary, established: promise.established },
    pairs: matches.map(({ left: a, right: b, probability, why }) => ({
      ...{ probability, why },
      left: shown(left.rows[a], compared(columns, "name")),
      right: shown(right.rows[b], compared(columns, "other")),
    })),
    files: [{ name: "joined.csv", label: "Download the matches", text: () => Papa.unparse(joined) }],
  };
}

/** The columns of `pearl dedupe --groups`. */
export function duplicateFiles({ rows, names }, { groups, kept, removed, columns, summary, promise }) {
  const line = (group, isKept, row, probability, why) => ({
    ...{ group, kept: isKept ? "yes" : "no", row: row + 1, probability, why },
    ...rows[row],
  });
  const grouped = groups.flatMap(({ kept: first, others }, group) => [
    line(group + 1, true, first, "", ""),
    ...others.map(({ row, probability, why }) => line(group + 1, false, row, probability.toFixed(4), why)),
  ]);
  const pairs = groups.flatMap(({ others }) => others);
  return {
    title: `${counted(groups.length, "group", "groups")} of duplicates, ${counted(removed.length, "row", "rows")} to remove`,
    ...{ summary, established: promise.established },
    pairs: pairs.map(({ row, keptRow, probability, why }) => ({
      ...{ probability, why },
      left: shown(rows[keptRow], compared(columns, "name")),
      right: shown(rows[row], compared(columns, "name")),
    })),
    files: [
      {
        name: "deduped.csv",
        label: "Download the table without duplicates",
        text: () =>
          Papa.unparse(
            Array.from(kept, (row) => rows[row]),
            { columns: names },
          ),
      },
      { name: "groups.csv", label: "Download the groups", text: () => Papa.unparse(grouped) },
    ],
  };
}
