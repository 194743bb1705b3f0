/** Damages folders at random, opens them in processes of their own, and says what came of each. */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createRandom, type Random } from "../../src/random.js";

const kinds = ["cut", "flip", "head", "gone", "swapped"] as const;
export type Kind = (typeof kinds)[number];

/** What a program got from a folder: a fingerprint of its answers, or an error. */
export interface Reply {
  readonly answers?: string;
  readonly error?: string;
  /** Whether the error is one that pearl raises on purpose. */
  readonly isKnown?: boolean;
  /** The process died. */
  readonly signal?: string;
}

export type Outcome = "same answers" | "other answers" | "error with cure" | "unexpected error" | "signal";

export interface Case extends Reply {
  readonly kind: Kind;
  /** Relative to the folder. */
  readonly file: string;
  readonly outcome: Outcome;
}

export interface Trial {
  /** Makes an undamaged copy. */
  readonly copy: (target: string) => void;
  /** Another folder of the same layout, from which files are swapped in. */
  readonly other: string;
  /** The body of an async function that opens `folder` and returns its answers as text. */
  readonly program: string;
  /** Whether opening it leaves something in the folder: then every copy is opened before it is damaged. */
  readonly remembers: boolean;
  readonly count: number;
  readonly seed: number;
}

const perProcess = 20;

/** @returns a case for each damage */
export async function damageAndOpen({
  copy,
  other,
  program,
  remembers,
  count,
  seed,
}: Trial): Promise<Case[]> {
  const root = mkdtempSync(join(tmpdir(), "pearl-damage-"));
  const random = createRandom(seed);
  const cases: Case[] = [];
  try {
    while (cases.length < count) {
      const folders = Array.from({ length: Math.min(perProcess, count - cases.length) }, (_, place) =>
        join(root, String(cases.length + place)),
      );
      for (const folder of folders) copy(folder);
      // What is remembered of whole files must not hide the damage.
      const before = await openAll(remembers ? folders : folders.slice(0, 1), program);
      const damages = folders.map((folder) => damage(folder, other, random));
      const after = await openAll(folders, program);
      damages.forEach((done, place) => {
        const outcome = outcomeOf(after[place], before[remembers ? place : 0]);
        cases.push({ ...done, ...after[place], outcome });
      });
      for (const folder of folders) rmSync(folder, { recursive: true });
    }
    return cases;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function outcomeOf(
  { signal, error, isKnown, answers }: Reply,
  { answers: expected, error: trouble }: Reply,
): Outcome {
  if (expected === undefined) throw new Error(`the undamaged folder cannot be opened: ${trouble}`);
  if (signal !== undefined) return "signal";
  if (error !== undefined) return isKnown ? "error with cure" : "unexpected error";
  return answers === expected ? "same answers" : "other answers";
}

/** Damages one file, or replaces a whole folder of it by another one's. */
function damage(folder: string, other: string, random: Random): { kind: Kind; file: string } {
  const pick = <One>(values: readonly One[]): One => values[Math.floor(random() * values.length)];
  const all = readdirSync(folder, { recursive: true }) as string[];
  const files = all.filter((name) => statSync(join(folder, name)).isFile()).sort();
  const kind = pick(kinds);
  const isInBoth = (name: string): boolean => existsSync(join(other, name));
  const folders = all.filter((name) => statSync(join(folder, name)).isDirectory() && isInBoth(name));
  const isWhole = kind === "swapped" && folders.length > 0 && random() < 0.1;
  const file = pick(isWhole ? folders : kind === "swapped" ? files.filter(isInBoth) : files);
  const path = join(folder, file);
  if (kind === "swapped") {
    rmSync(path, { recursive: true });
    cpSync(join(other, file), path, { recursive: true, dereference: true });
    return { kind, file };
  }
  const bytes = readFileSync(path);
  const at = Math.floor(random() * bytes.length);
  if (kind === "gone") rmSync(path);
  else if (kind === "cut") truncateSync(own(path, bytes), at);
  else {
    if (kind === "flip") bytes[at] ^= 1 << Math.floor(random() * 8);
    else for (let i = 0; i < Math.min(bytes.length, 64); i++) bytes[i] = Math.floor(random() * 256);
    writeFileSync(own(path, bytes), bytes);
  }
  return { kind, file };
}

/** The path as a file of its own, where it is a link to one that others share. */
function own(path: string, bytes: Uint8Array): string {
  writeFileSync(`${path}.own`, bytes);
  renameSync(`${path}.own`, path);
  return path;
}

/** Opens folders one after the other; where the process dies, another one continues with the next. */
async function openAll(folders: readonly string[], program: string): Promise<Reply[]> {
  // PEARL_DIST names another build, to compare what it makes of the same damages.
  const script = `
    import { PearlError } from "./dist/errors.js";
    import { createHash } from "node:crypto";
    const answersOf = async (folder) => {${program}};
    for (const folder of process.argv.slice(1)) {
      const reply = await answersOf(folder).then(
        (answers) => ({ answers: createHash("sha256").update(answers).digest("hex") }),
        (error) => ({ error: error.message, isKnown: error instanceof PearlError }),
      );
      console.log(JSON.stringify(reply));
    }`.replaceAll("./dist", process.env.PEARL_DIST ?? "./dist");
  const replies: Reply[] = [];
  while (replies.length < folders.length) {
    const left = folders.slice(replies.length);
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, ...left], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = new Promise<string>((resolve) =>
      child.on("close", (code, signal) => resolve(String(signal ?? `exit code ${code}`))),
    );
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      replies.push(JSON.parse(line) as Reply);
      lines++;
    }
    const signal = await ended;
    if (lines < left.length) replies.push({ signal });
  }
  return replies;
}

/** Counts by kind and outcome, for reports. */
export function tally(cases: readonly Case[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, outcome } of cases) {
    const name = `${kind}: ${outcome}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
