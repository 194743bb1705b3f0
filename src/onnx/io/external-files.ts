/** The files beside an ONNX file that hold its weights, found without a library and without reading the weights in the file. */
import { fstatSync } from "node:fs";
import { posix } from "node:path";
import { readPart, withFile } from "./file.js";

/** Fields of onnx.proto on the way to the place of a tensor's bytes, by number; schema.ts names them all. */
const ways: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  model: { 7: "graph" },
  graph: { 1: "node", 5: "tensor" },
  node: { 5: "attribute" },
  attribute: { 5: "tensor", 6: "graph", 10: "tensor", 11: "graph" },
  tensor: { 13: "entry" },
};
const [KEY, VALUE] = [1, 2];

/** Bytes read at a time, and of a name at most. */
const PIECE = 2 ** 16;

/**
 * @returns paths relative to the graph's folder, each once, without those that leave the folder: readModel refuses them.
 * Of a damaged file those found so far; of one that cannot be read, none: whoever opens it says why
 */
export function externalFiles(path: string): string[] {
  try {
    return findFiles(path);
  } catch {
    return [];
  }
}

const findFiles = (path: string): string[] =>
  withFile(path, "r", (file) => {
    const found = new Set<string>();
    const size = fstatSync(file).size;
    let piece: Uint8Array = new Uint8Array();
    let [start, at] = [0, 0];
    const nextByte = (): number => {
      if (at < start || at >= start + piece.length) {
        [piece, start] = [readPart(file, at, Math.min(PIECE, size - at)), at];
      }
      return piece[at++ - start];
    };
    /** NaN where the file ends, or no number is there. */
    const nextNumber = (): number => {
      let value = 0;
      for (let unit = 1; unit < 2 ** 70 && at < size; unit *= 128) {
        const byte = nextByte();
        value += (byte % 128) * unit;
        if (byte < 128) return value;
      }
      return Number.NaN;
    };
    const open = [{ kind: "model", end: size, entry: ["", "", ""] }];
    for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
      const { kind, end, entry } = inner;
      if (at === end) {
        if (entry[KEY] === "location" && isInside(entry[VALUE])) found.add(posix.normalize(entry[VALUE]));
        open.pop();
        continue;
      }
      const tag = nextNumber();
      const [field, form] = [Math.floor(tag / 8), tag % 8];
      // a number, 8 bytes, a length and as many bytes, or 4 bytes
      const length = form === 0 ? nextNumber() * 0 : form === 1 ? 8 : form === 2 ? nextNumber() : 4;
      if (!([0, 1, 2, 5].includes(form) && at + length <= end)) break;
      const below = form === 2 ? ways[kind]?.[field] : undefined;
      if (below !== undefined) {
        open.push({ kind: below, end: at + length, entry: ["", "", ""] });
        continue;
      }
      if (kind === "entry" && form === 2 && length < PIECE)
        entry[field] = new TextDecoder().decode(readPart(file, at, length));
      at += length;
    }
    return [...found];
  });

const isInside = (location: string): boolean =>
  location !== "" && !/[\\:\0]|^\/|(^|\/)\.\.(\/|$)/.test(location);
