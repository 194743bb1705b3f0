/** ONNX files on disk and in memory, including weights in separate files. */
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, sep } from "node:path";
import { ModelError, messageOf, PearlError } from "../../errors.js";
import type { Model } from "../model.js";
import { unpackIntegers } from "../rewrite/stored.js";
import { bytesOf } from "../tensor.js";
import { modelOfProto, protoOfModel, type ReadExternal } from "./codec.js";
import { decodeModelProto, encodeModelProto } from "./schema.js";

/** Protobuf's own limit. */
const largestFile = 2 ** 31;
/** Leaves some of the limit for the nodes. */
const largestWeights = largestFile - 2 ** 20;
/** Smaller tensors stay in the model file: shapes and scalars are needed to read it. */
const smallestExternal = 1024;
/** External tensors start at pages, so that they can be mapped into memory. */
const page = 4096;

interface ReadOptions {
  /** What error messages call the model; default its path, or "the model". */
  label?: string;
  /** Folder of external data files for a model given as bytes; default none. */
  folder?: string;
}

/**
 * Reads a model from a file or its bytes. Weights are views of the bytes where alignment allows it; those stored as integers
 * (rewrite/stored.ts) become float32.
 * @throws ModelError naming the file and the cure, for anything that is not a whole ONNX model.
 */
export function readModel(source: string | Uint8Array, options: ReadOptions = {}): Model {
  const path = typeof source === "string" ? source : undefined;
  const label = options.label ?? path ?? "the model";
  const folder = options.folder ?? (path === undefined ? undefined : dirname(path));
  const bytes = typeof source === "string" ? readWhole(source, label) : source;
  if (bytes.length === 0) throw new ModelError(`${label} is empty. Download or export it again.`);
  rejectOtherFormats(bytes, label);
  try {
    return unpackIntegers(modelOfProto(decodeModelProto(bytes), externalReader(folder)));
  } catch (error) {
    const reason = error instanceof PearlError ? messageOf(error) : "its bytes do not decode";
    throw new ModelError(
      `${label} is not a whole ONNX model: ${reason}. Download or export it again; it may be cut off.`,
      { cause: error },
    );
  }
}

function readWhole(path: string, label: string): Uint8Array {
  try {
    if (statSync(path).size >= largestFile)
      throw new ModelError(
        `${label} is over 2 GB, more than one ONNX file can hold. Export it with external data.`,
      );
    return readFileSync(path);
  } catch (error) {
    if (error instanceof PearlError) throw error;
    throw new ModelError(`${label} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Files that often lie where a model should be. */
function rejectOtherFormats(bytes: Uint8Array, label: string): void {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(64, bytes.length)).toString("latin1");
  if (start.startsWith("version https://git-lfs"))
    throw new ModelError(`${label} is a Git LFS pointer, not the model. Run "git lfs pull".`);
  if (/^\s*[<{]/.test(start))
    throw new ModelError(`${label} is text (HTML or JSON), not an ONNX model. Download it again.`);
}

/** Reads tensors from files inside the folder; a path that leaves the folder is refused. */
function externalReader(folder: string | undefined): ReadExternal {
  return (place, bytes) => {
    const { location = "", offset = "0", length = String(bytes) } = place;
    if (folder === undefined)
      throw new ModelError(`its weights lie in ${location}: give the model's path, not its bytes`);
    const inside = normalize(location);
    if (location === "" || isAbsolute(inside) || inside.split(sep).includes(".."))
      throw new ModelError(`its weights point outside the model's folder (${location})`);
    if (Number(length) !== bytes)
      throw new ModelError(`${location} should hold ${bytes} bytes for a tensor, the model says ${length}`);
    return readBeside(join(folder, inside), location, Number(offset), bytes);
  };
}

function readBeside(path: string, location: string, offset: number, bytes: number): Uint8Array {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) throw new ModelError(`its weights file ${location} is missing`);
  if (!(offset >= 0) || size < offset + bytes)
    throw new ModelError(`its weights file ${location} ends before byte ${offset + bytes}`);
  return withFile(path, "r", (file) => readPart(file, offset, bytes));
}

/** The bytes of a model as one ONNX file. @throws ModelError over protobuf's 2 GB. */
export function encodeModel(model: Model): Uint8Array {
  if (weightBytes(model) > largestWeights)
    throw new ModelError("the model's weights exceed 2 GB: write it to a path, with external data");
  return encodeModelProto(protoOfModel(model));
}

interface WriteOptions {
  /**
   * "always": weights go to one file named like the model with `_data` appended. Default "auto": only where they
   * exceed the 2 GB that one ONNX file can hold.
   */
  externalData?: "auto" | "always";
}

/** Writes a model. Write to a temporary folder, as writeWholeFolder does: an interruption leaves a part of it. */
export function writeModel(model: Model, path: string, options: WriteOptions = {}): void {
  const { externalData = "auto" } = options;
  const external = externalData === "always" || weightBytes(model) > largestWeights;
  try {
    const bytes = external ? encodeModelProto(protoBeside(model, `${path}_data`)) : encodeModel(model);
    writeFileSync(path, bytes, { flush: true });
  } catch (error) {
    if (error instanceof PearlError) throw error;
    throw new ModelError(`${path} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** Writes the weights to `path`, each at the start of a page; returns the message without them. */
const protoBeside = (model: Model, path: string) =>
  withFile(path, "w", (file) => {
    let end = 0;
    return protoOfModel(model, (tensor) => {
      const bytes = bytesOf(tensor);
      if (bytes.length < smallestExternal) return undefined;
      const offset = Math.ceil(end / page) * page;
      writePart(file, offset, bytes);
      end = offset + bytes.length;
      return { location: basename(path), offset: String(offset), length: String(bytes.length) };
    });
  });

function weightBytes(model: Model): number {
  const weights = [...model.graph.initializers.values()];
  return weights.reduce((sum, { data }) => sum + (Array.isArray(data) ? 0 : data.byteLength), 0);
}

/** Files in parts: pieces stay below the 2 GiB that one system call can move. */
const gibibyte = 2 ** 30;

/** Opens a file for `use` and closes it; a written file is synced. */
export function withFile<Result>(path: string, flags: "r" | "w", use: (file: number) => Result): Result {
  const file = openSync(path, flags);
  try {
    const result = use(file);
    if (flags === "w") fsyncSync(file);
    return result;
  } finally {
    closeSync(file);
  }
}

/** @throws ModelError if the file ends before `offset + bytes` */
export const readPart = (file: number, offset: number, bytes: number): Uint8Array =>
  readInto(new Uint8Array(bytes), file, offset);

/** Fills a part of memory from a file. @throws ModelError if the file ends before */
export function readInto(part: Uint8Array, file: number, offset = 0): Uint8Array {
  for (let done = 0; done < part.length; ) {
    const read = readSync(file, part, done, Math.min(gibibyte, part.length - done), offset + done);
    if (read === 0) throw new ModelError("the file became shorter while it was read");
    done += read;
  }
  return part;
}

export function writePart(file: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, Math.min(gibibyte, bytes.length - done), offset + done);
}
