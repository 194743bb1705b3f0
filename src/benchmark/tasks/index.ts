/** The tasks by name. */
import { UsageError } from "../../errors.js";
import { type Task, unknownName } from "../task.js";
import { autofj } from "./autofj.js";
import { bc5cdr, conll } from "./clustering.js";
import { er } from "./er.js";
import { bird, sts } from "./graded.js";
import { ppdb, ppdbFiltered } from "./ppdb.js";
import { umls, yago } from "./retrieval.js";
import { misspellings, strings } from "./strings.js";
import { turney } from "./turney.js";

/** The nine sets of PEARL in the paper's order, then string retrieval, misspellings, graded pairs and entity resolution. */
export const allTasks = [
  ...[ppdb, ppdbFiltered, turney, bird, yago, umls, conll, bc5cdr, autofj],
  ...[strings, misspellings, sts, er],
];

export const taskNames: readonly string[] = allTasks.map((task) => task.name);

/** The tasks of those names, in the order of the list; `all` stands for every one. @throws UsageError */
export function selectTasks(names: readonly string[]): Task[] {
  const known = [...taskNames, "all"];
  const hint = `Tasks: ${known.join(", ")}`;
  if (names.length === 0) throw new UsageError(`name a task. ${hint}`);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw unknownName("unknown task", unknown, { known, hint });
  return allTasks.filter(({ name }) => names.includes("all") || names.includes(name));
}
