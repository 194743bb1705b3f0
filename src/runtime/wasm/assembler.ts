/** A WebAssembly assembler as small as pearl's kernels need: instructions as bytes, one module, one shared memory. */

export type Code = readonly number[];

type NumberType = "i32" | "v128";

/** What `local.get` and `local.set` make of a name. */
export interface Variable {
  readonly get: Code;
  set(value: Code): Code;
}

/** A function that the module exports: its parameters come first among the variables. All results are i32. */
export interface KernelFunction<Name extends string = string> {
  readonly name: string;
  readonly parameters: readonly Name[];
  readonly locals: Readonly<Record<string, NumberType>>;
  body(variables: Readonly<Record<string, Variable>>): Code;
}

const typeCodes: Readonly<Record<NumberType, number>> = { i32: 0x7f, v128: 0x7b };

/** A number as LEB128. */
const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 0x80, ...unsigned(Math.floor(value / 128))];

/** A number as LEB128, with its sign. */
function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  return rest === ((low & 0x40) === 0 ? 0n : -1n) ? [low] : [low | 0x80, ...signed(rest)];
}

type One = [a: Code];
type Two = [a: Code, b: Code];

/** An instruction, which follows its operands. */
const op =
  <Operands extends Code[] = Two>(...code: number[]) =>
  (...operands: Operands): Code => [...operands.flat(), ...code];
const load =
  (code: Code, alignment: number) =>
  (address: Code, offset = 0): Code => [...address, ...code, alignment, ...unsigned(offset)];
const store =
  (code: Code, alignment: number) =>
  (address: Code, value: Code, offset = 0): Code => [
    ...[...address, ...value],
    ...[...code, alignment, ...unsigned(offset)],
  ];
const emptyBlock = 0x40;
const END = 0x0b;

/** 32-bit integers; comparisons are unsigned. An address constant may reach 4 GiB. */
export const i32 = {
  constant: (value: number): Code => [0x41, ...signed(BigInt(value | 0))],
  add: op(0x6a),
  multiply: op(0x6c),
  less: op(0x49),
  load: load([0x28], 2),
} as const;

const vectorCode = (code: number): number[] => [0xfd, ...unsigned(code)];

/** Vectors of 128 bits: four 32-bit floats unless noted. Addresses need not be aligned. */
export const v128 = {
  zeros: [...vectorCode(12), ...new Array<number>(16).fill(0)] as Code,
  add: op(...vectorCode(228)),
  multiply: op(...vectorCode(230)),
  /** Eight signed bytes as eight integers of 16 bits. */
  loadBytes: load(vectorCode(1), 0),
  /** One float, four times. */
  loadRepeated: load(vectorCode(9), 0),
  /** The first and the last four of eight 16-bit integers as floats. */
  firstToFloats: op<One>(...vectorCode(167), ...vectorCode(250)),
  lastToFloats: op<One>(...vectorCode(168), ...vectorCode(250)),
  store: store(vectorCode(11), 0),
} as const;

/** A loop whose body runs while `condition` holds, tested first. */
export const loopWhile = (condition: Code, ...body: Code[]): Code => [
  ...[0x02, emptyBlock, 0x03, emptyBlock],
  ...[...condition, 0x45, 0x0d, 1],
  ...[...body.flat(), 0x0c, 0, END, END],
];

/** A loop whose body runs at least once, and again while `condition` holds. */
export const repeatWhile = (condition: Code, ...body: Code[]): Code => [
  ...[0x03, emptyBlock, ...body.flat(), ...condition, 0x0d, 0, END],
];

const vector = (items: readonly Code[]): number[] => [...unsigned(items.length), ...items.flat()];
const sized = (bytes: Code | Buffer): number[] => [...unsigned(bytes.length), ...bytes];
const text = (value: string): number[] => sized(Buffer.from(value, "utf8"));
const section = (id: number, content: Code): number[] => [id, ...sized(content)];

/** The body of a function: its locals in groups of one, and its code. */
function encodeBody({ parameters, locals, body }: KernelFunction): number[] {
  const names = [...parameters, ...Object.keys(locals)];
  const variables: Record<string, Variable> = {};
  names.forEach((name, index) => {
    const place = unsigned(index);
    variables[name] = {
      get: [0x20, ...place],
      set: (value) => [...value, 0x21, ...place],
    };
  });
  const declared = vector(Object.values(locals).map((type) => [1, typeCodes[type]]));
  return sized([...declared, ...body(variables), END]);
}

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

/** Bytes of a page of memory; also the most pages of a memory. */
export const PAGE = 65_536;

/** A shared memory of at least `bytes`, which may grow to 4 GiB. */
export function shareMemory(bytes: number): SharedMemory {
  return new engine.Memory({ initial: Math.max(1, Math.ceil(bytes / PAGE)), maximum: PAGE, shared: true });
}

/**
 * The functions over a memory made by shareMemory, in a module that imports it as `pearl.memory`. (WebAssembly binary
 * format, version 1, with shared memories of the threads proposal.)
 */
export function instantiate(
  functions: readonly KernelFunction[],
  memory: SharedMemory,
): Record<string, (...numbers: number[]) => number> {
  const types = functions.map(({ parameters }) => [
    0x60,
    ...vector(parameters.map(() => [typeCodes.i32])),
    ...vector([[typeCodes.i32]]),
  ]);
  const imported = [...text("pearl"), ...text("memory"), 0x02, 0x03, ...unsigned(0), ...unsigned(PAGE)];
  const magicAndVersion = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const bytes = Uint8Array.from([
    ...magicAndVersion,
    ...section(1, vector(types)),
    ...section(2, vector([imported])),
    ...section(3, vector(functions.map((_, index) => unsigned(index)))),
    ...section(7, vector(functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]))),
    ...section(10, vector(functions.map(encodeBody))),
  ]);
  return new engine.Instance(new engine.Module(bytes), { pearl: { memory } }).exports;
}
