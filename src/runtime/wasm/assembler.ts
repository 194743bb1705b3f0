/** A WebAssembly assembler as small as pearl's kernels need: instructions as bytes, one module, one shared memory. */

/** Instructions, encoded. */
export type Code = readonly number[];

/** Number types of locals and parameters. */
export type NumberType = "i32" | "i64" | "v128";

/** What `local.get`, `local.set` and `local.tee` make of a name. */
export interface Variable {
  readonly get: Code;
  set(value: Code): Code;
  tee(value: Code): Code;
}

/** A function that the module exports: its parameters come first among the variables. All results are i32. */
export interface KernelFunction<Name extends string = string> {
  readonly name: string;
  readonly parameters: readonly Name[];
  readonly locals: Readonly<Record<string, NumberType>>;
  body(variables: Readonly<Record<string, Variable>>): Code;
}

const typeCodes: Readonly<Record<NumberType, number>> = { i32: 0x7f, i64: 0x7e, v128: 0x7b };

/** A number as LEB128, unsigned. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

/** A number as LEB128, signed. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (;;) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    const done = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
    bytes.push(done ? low : low | 0x80);
    if (done) return bytes;
  }
}

const two =
  (code: number) =>
  (a: Code, b: Code): Code => [...a, ...b, code];
const one =
  (code: number) =>
  (a: Code): Code => [...a, code];
const load =
  (code: number, alignment: number) =>
  (address: Code, offset = 0): Code => [...address, code, alignment, ...unsigned(offset)];
const emptyBlock = 0x40;

/** 32-bit integers; comparisons are unsigned. An address constant may reach 4 GiB. */
export const i32 = {
  constant: (value: number): Code => [0x41, ...signed(value | 0)],
  add: two(0x6a),
  subtract: two(0x6b),
  multiply: two(0x6c),
  isZero: one(0x45),
  shiftRight: two(0x76),
  less: two(0x49),
  greater: two(0x4b),
  lessOrEqual: two(0x4d),
  greaterOrEqual: two(0x4f),
  load: load(0x28, 2),
  load16: load(0x2f, 1),
  store: (address: Code, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    0x36,
    2,
    ...unsigned(offset),
  ],
} as const;

/** 64-bit integers. */
export const i64 = {
  constant: (value: number): Code => [0x42, ...signed(value)],
  add: two(0x7c),
  subtract: two(0x7d),
  and: two(0x83),
  or: two(0x84),
  xor: two(0x85),
  less: two(0x54),
  ones: one(0x7b),
  load: load(0x29, 3),
  toI32: one(0xa7),
  fromI32: one(0xad),
} as const;

const vectorCode = (code: number): Code => [0xfd, ...unsigned(code)];
const vectorOne =
  (code: number) =>
  (a: Code): Code => [...a, ...vectorCode(code)];
const vectorTwo =
  (code: number) =>
  (a: Code, b: Code): Code => [...a, ...b, ...vectorCode(code)];
const vectorLoad =
  (code: number) =>
  (address: Code, offset = 0): Code => [...address, ...vectorCode(code), 0, ...unsigned(offset)];

/** Vectors of 128 bits: four 32-bit floats where not said otherwise. Addresses may be any. */
export const v128 = {
  zeros: [...vectorCode(12), ...new Array<number>(16).fill(0)] as Code,
  add: vectorTwo(228),
  multiply: vectorTwo(230),
  /** Eight signed bytes as eight integers of 16 bits. */
  loadBytes: vectorLoad(1),
  /** One float, four times. */
  loadRepeated: vectorLoad(9),
  /** The first and the last four of eight 16-bit integers as floats. */
  firstToFloats: (a: Code): Code => vectorOne(250)(vectorOne(167)(a)),
  lastToFloats: (a: Code): Code => vectorOne(250)(vectorOne(168)(a)),
  store: (address: Code, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    ...vectorCode(11),
    0,
    ...unsigned(offset),
  ],
} as const;

/** A loop whose body runs while `condition` holds, tested first. */
export function loopWhile(condition: Code, ...body: Code[]): Code {
  const end = 0x0b;
  return [
    ...[0x02, emptyBlock, 0x03, emptyBlock],
    ...[...condition, 0x45, 0x0d, 1],
    ...body.flat(),
    ...[0x0c, 0, end, end],
  ];
}

/** A loop whose body runs at least once, and again while `condition` holds. */
export function repeatWhile(condition: Code, ...body: Code[]): Code {
  return [0x03, emptyBlock, ...body.flat(), ...condition, 0x0d, 0, 0x0b];
}

/** Code that runs where `condition` holds. */
export function when(condition: Code, ...body: Code[]): Code {
  return [...condition, 0x04, emptyBlock, ...body.flat(), 0x0b];
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): number[] {
  const bytes = [...Buffer.from(value, "utf8")];
  return [...unsigned(bytes.length), ...bytes];
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

/** The body of a function: its locals in groups of one, and its code. */
function encodeBody({ parameters, locals, body }: KernelFunction): number[] {
  const names = [...parameters, ...Object.keys(locals)];
  const variables: Record<string, Variable> = {};
  names.forEach((name, index) => {
    const place = unsigned(index);
    variables[name] = {
      get: [0x20, ...place],
      set: (value) => [...value, 0x21, ...place],
      tee: (value) => [...value, 0x22, ...place],
    };
  });
  const declared = vector(Object.values(locals).map((type) => [1, typeCodes[type]]));
  const code = [...declared, ...body(variables), 0x0b];
  return [...unsigned(code.length), ...code];
}

/**
 * A module of these functions over the shared memory `pearl.memory` of at most `maximumPages` pages of 64 KiB.
 * (WebAssembly binary format, version 1, with shared memories of the threads proposal.)
 */
export function assemble(
  functions: readonly KernelFunction[],
  maximumPages: number,
): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [
    0x60,
    ...vector(parameters.map(() => [typeCodes.i32])),
    ...vector([[typeCodes.i32]]),
  ]);
  const memory = [...text("pearl"), ...text("memory"), 0x02, 0x03, ...unsigned(0), ...unsigned(maximumPages)];
  const magicAndVersion = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  return Uint8Array.from([
    ...magicAndVersion,
    ...section(1, vector(types)),
    ...section(2, vector([memory])),
    ...section(3, vector(functions.map((_, index) => unsigned(index)))),
    ...section(7, vector(functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]))),
    ...section(10, vector(functions.map(encodeBody))),
  ]);
}

/** A memory that threads share. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

interface WebAssemblyApi {
  readonly Memory: new (options: { initial: number; maximum: number; shared: true }) => SharedMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: Record<string, Record<string, unknown>>,
  ) => { readonly exports: Record<string, (...numbers: number[]) => number> };
}

// The compiler's list of globals has WebAssembly only together with a browser's.
const { WebAssembly: engine } = globalThis as unknown as { WebAssembly: WebAssemblyApi };

/** Bytes of a page of memory. */
export const PAGE = 65_536;

/** A shared memory of at least `bytes`, which may grow to 4 GiB. */
export function shareMemory(bytes: number): SharedMemory {
  return new engine.Memory({ initial: Math.max(1, Math.ceil(bytes / PAGE)), maximum: PAGE, shared: true });
}

/** The module's functions over a memory made by shareMemory. */
export function instantiate(
  functions: readonly KernelFunction[],
  memory: SharedMemory,
): Record<string, (...numbers: number[]) => number> {
  const module = new engine.Module(assemble(functions, PAGE));
  return new engine.Instance(module, { pearl: { memory } }).exports;
}
