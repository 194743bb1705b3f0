/** Reads the options of scripts and benchmarks. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The options of a program, by a list such as "rows=1000 model data= json=tag quick? output,o": with a default, without one,
 * a flag, and with a short form. The default of `data` is a folder below ../shared/data, that of `json` a file of
 * benchmarks/results.
 *
 * @param {string} list @param {Record<string, string>} computed further options with their defaults
 * @returns {{ values: Record<string, any>, positionals: string[] }}
 */
export function readOptions(list, computed = {}) {
  const whole = {
    data: (name) => join(root, "../shared/data", name),
    json: (name) => join(root, `benchmarks/results/${name}.json`),
  };
  const listed = list.split(" ").map((word) => {
    const [, name, short, mark, value] = /^([\w-]+)(?:,(\w))?([=?]?)(.*)$/.exec(word) ?? [];
    if (mark === "?") return [name, { type: "boolean" }];
    const given = mark === "=" ? { default: whole[name]?.(value) ?? value } : {};
    return [name, { type: "string", ...(short && { short }), ...given }];
  });
  const others = Object.entries(computed).map(([name, value]) => [name, { type: "string", default: value }]);
  const options = Object.fromEntries([...listed, ...others]);
  return /** @type {any} */ (parseArgs({ options, allowPositionals: true }));
}

/** Ends a program that was called wrongly. */
export function refuse(/** @type {string} */ why) {
  console.error(`error: ${why}`);
  process.exit(2);
}
