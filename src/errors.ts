/** The errors that pearl reports: each message names the place and the cure, each class has an exit code. */

/** Base of every error that pearl raises on purpose; the command line prints its message without a stack. */
export class PearlError extends Error {
  /** Exit code of the command line: 1 for bad input, 2 for wrong usage. */
  readonly exitCode: number = 1;

  constructor(message: string, options?: ErrorOptions) {
    super(redacted(message), options);
    this.name = new.target.name;
  }
}

/** A mistyped command, option or combination of options. */
export class UsageError extends PearlError {
  override readonly exitCode = 2;
}

/** A table that cannot be read or written: the message names the file, the line and the cure. */
export class TableError extends PearlError {}

/** A model folder, hub repository or ONNX file that cannot be used. */
export class ModelError extends PearlError {}

/** A library argument out of range or of the wrong shape. */
export class ArgumentError extends PearlError {}

/** Data or an optional part that is not on this machine: the message says how to get it. */
export class MissingDataError extends PearlError {}

/** A requested device that does not work on this machine. */
export class DeviceError extends PearlError {}

/** Training that cannot continue: it diverged, or its checkpoint cannot be written or belongs to another run. */
export class TrainingError extends PearlError {}

/** An index of vectors that cannot be read or written, or that does not accept these vectors. */
export class VectorIndexError extends PearlError {}

/** An index that another process is writing to. */
export class LockedError extends VectorIndexError {}

/** A store of entities that cannot be read or written, or that does not accept this table. */
export class StoreError extends PearlError {}

/** An object or folder in object storage that cannot be read or written. */
export class ObjectStorageError extends PearlError {}

/** A part of sharded work that cannot be merged with the others. */
export class ShardError extends PearlError {}

/** The message of anything thrown, for building a PearlError from a library's failure. */
export function messageOf(error: unknown): string {
  return redacted(error instanceof Error ? error.message : String(error));
}

/** Forms of passwords and keys in addresses, and what stays of them. */
const secrets: readonly (readonly [form: RegExp, shown: string])[] = [
  // mysql://user:password@host, and https://token@host. A password may hold any character but a space.
  [/([a-z][a-z\d+.-]*:\/\/[^\s/?#@:]*):\S*@/gi, "$1:***@"],
  [/(https?:\/\/)[^\s/?#@:]+@/gi, "$1***@"],
  // jdbc:oracle:thin:user/password@host
  [/(jdbc:[a-z\d:]+:[^\s@/]+\/)[^\s@/]+@/gi, "$1***@"],
  // ?password=..., and ;pwd=... of JDBC
  [
    /([?&;](?:[\w-]*(?:pass(?:word|wd)?|pwd|secret|token|signature|(?:api|access|account)_?key)|sig)=)[^&;\s"']+?(?=:?[&;\s"']|:?$)/gi,
    "$1***",
  ],
  // libpq: host=... password='...'
  [/\b((?:pg)?pass(?:word|wd)\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&;,]+?(?=:?[\s&;,]|:?$))/gi, "$1***"],
];

/** A text in which addresses show no passwords, keys or tokens. */
export const redacted = (text: string): string =>
  secrets.reduce((shown, [form, instead]) => shown.replace(form, instead), text);

/** A failure while gzip was unpacked, as a TableError; what comes from elsewhere, such as a lost connection, stays as it is. */
export function gzipTrouble(place: string, error: unknown): unknown {
  // The code of an abort is a number.
  if (!/^Z_/.test(String((error as NodeJS.ErrnoException).code))) return error;
  return new TableError(
    `${place}: the gzip data is damaged or cut off (${messageOf(error)}). Fetch or pack the file again.`,
    { cause: error },
  );
}

/** Whether a write failed because the disk, or the user's part of it, is full. */
export function isDiskFull(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return (
    ["ENOSPC", "EDQUOT", "EFBIG"].includes(code) ||
    /no space left|file too large|disk quota|could not write (all|file)/i.test(messageOf(error))
  );
}
