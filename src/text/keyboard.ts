/** Neighbouring keys: which letter or digit a finger hits when it misses by one key. */

/** A layout's rows from top to bottom, each key half a key further right than the one above it. */
const qwerty = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];
const jcuken = ["йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"];

/** How far each row stands to the right, in keys: the stagger of a usual keyboard. */
const rowOffsets: Record<string, readonly number[]> = {
  qwerty: [0, 0.5, 0.75, 1.25],
  jcuken: [0, 0.25, 0.75],
};

const neighbours = new Map<string, string>();
for (const [rows, offsets] of [
  [qwerty, rowOffsets.qwerty],
  [jcuken, rowOffsets.jcuken],
] as const) {
  for (const [character, nearby] of neighboursOf(rows, offsets)) neighbours.set(character, nearby);
}

/** Keys that touch: in the same row one apart, in the next row less than one key away. */
function neighboursOf(rows: readonly string[], offsets: readonly number[]): Map<string, string> {
  const keys = rows.flatMap((row, y) =>
    [...row].map((character, x) => ({ character, x: x + offsets[y], y })),
  );
  return new Map(
    keys.map(({ character, x, y }) => {
      const touching = keys.filter((other) => {
        const across = Math.abs(other.x - x);
        return other.y === y ? across === 1 : Math.abs(other.y - y) === 1 && across < 1;
      });
      return [character, touching.map((key) => key.character).join("")];
    }),
  );
}

/**
 * The keys beside a letter's or digit's key on QWERTY (Latin, digits) or ЙЦУКЕН (Cyrillic), in lower case; "" for
 * any other character. Digits neighbour the letters below them: `keyboardNeighbours("q")` is "12wa".
 */
export function keyboardNeighbours(character: string): string {
  return neighbours.get(character) ?? neighbours.get(character.toLowerCase()) ?? "";
}
