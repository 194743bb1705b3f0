/** Settings by `--set name=value`: names, values and checks are those of a settings file, a setting at a time. */
import { parse } from "yaml";
import { messageOf, UsageError } from "../../errors.js";
import { shapeWith } from "./method-settings.js";
import { settingsFault } from "./schema.js";

type Tree = Readonly<Record<string, unknown>>;

/**
 * The settings with each assignment applied, in order. A name with dots is within a setting, such as `shape.hidden`; a
 * value is YAML.
 * @param of what is trained on: decides which settings there are
 * @throws UsageError for a text that is no assignment, an unknown name with the nearest right one, or a wrong value
 */
export function withAssigned<Settings extends object>(
  settings: Settings,
  assignments: readonly string[],
  of: "corpus" | "pairs",
): Settings {
  return assignments.reduce<Settings>((before, assignment) => {
    const { name, value } = assignmentOf(assignment);
    const after = withValue(before as Tree, name.split("."), value) as Settings & { shape?: object };
    const changed =
      name === "shape.hidden"
        ? { ...after, shape: shapeWith({ ...after.shape }, { hidden: value as number }) }
        : after;
    const fault = settingsFault(changed, of);
    if (fault !== undefined) throw new UsageError(`--set ${assignment}: ${fault}`);
    return changed;
  }, settings);
}

/** The names that are assigned to. */
export const assignedNames = (assignments: readonly string[]): string[] =>
  assignments.map((assignment) => assignmentOf(assignment).name);

function assignmentOf(assignment: string): { readonly name: string; readonly value: unknown } {
  const [, name, text] = /^\s*([^=]+?)\s*=(.*)$/s.exec(assignment) ?? [];
  if (name === undefined)
    throw new UsageError(
      `--set ${assignment}: expected a name and a value. Write name=value, such as temperature=0.05.`,
    );
  try {
    return { name, value: parse(text, { logLevel: "error" }) };
  } catch (error) {
    throw new UsageError(
      `--set ${assignment}: the value is not YAML (${messageOf(error).split("\n")[0]}). Write a number, a word, or settings such as {warmUp: 100}.`,
      { cause: error },
    );
  }
}

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withValue(old: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const own = isTree(old) ? old : {};
  return { ...own, [key]: withValue(own[key], rest, value) };
}
