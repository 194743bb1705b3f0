/** A lock file with its holder's process id: one writer at a time. The lock of a dead process is taken over. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants, copyFile, open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname, uptime } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type InferOutput, nullable, number, object, string } from "valibot";
import { LockedError } from "../errors.js";
import { parseJson } from "./json.js";

const holderSchema = object({
  pid: number(),
  host: string(),
  /** Differs from a later process of the same number; null where the system does not say. */
  started: nullable(string()),
  /** Differs between two locks of one process. */
  token: string(),
});
type Holder = InferOutput<typeof holderSchema>;
/** Whether a lock of another machine is held, or taken over, as after a container was replaced. */
type Others = "outlive" | "are gone";

export interface Lock {
  /** Whether no other machine's process has taken it over. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Locks a folder. @throws LockedError where a living process holds the lock */
export async function acquireLock(folder: string, others: Others = "outlive"): Promise<Lock> {
  const path = join(folder, "lock");
  const { pid } = process;
  const ours: Holder = { pid, host: hostname(), started: await startOf(pid), token: randomUUID() };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await create(path, ours))
      return { isHeld: () => isHeld(path, ours), release: () => release(path, ours) };
    const holder = await readHolder(path);
    if (holder === undefined) continue; // released in the meantime
    if (holder === "being written") {
      await sleep(200);
      continue;
    }
    if (await isAlive(path, holder, others)) throw lockedError(folder, path, holder);
    await takeAway(path, holder);
  }
  throw new LockedError(`${folder} is locked by several processes in turn. Try again.`);
}

/** Whether a process had locked a folder, by this lock, and has ended without a release. */
export async function isDead(path: string, others: Others): Promise<boolean> {
  const holder = await readHolder(path);
  return typeof holder === "object" && !(await isAlive(path, holder, others));
}

function lockedError(folder: string, path: string, { pid, host, started }: Holder): LockedError {
  const place = host === hostname() ? "" : ` on ${host}`;
  // Without its start, another process of the same number is taken for the holder.
  const cure = place === "" && started !== null ? "" : `; if it has died, remove ${path}`;
  return new LockedError(
    `${folder} is locked: process ${pid}${place} is writing to it. Wait until it has finished${cure}.`,
  );
}

/** @returns whether there was no lock; one that is seen half-written is waited for */
async function create(path: string, holder: Holder): Promise<boolean> {
  const file = await open(path, "wx").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  if (file === undefined) return false;
  try {
    await file.writeFile(JSON.stringify(holder));
    return true;
  } catch (error) {
    // On a full disk it is there, and empty.
    await rm(path, { force: true }).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

/** A lock that cannot be read and is younger than this may be half-written; an older one is damaged. */
const writingMs = 5_000;

async function readHolder(path: string): Promise<Holder | "being written" | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return parseJson(text, path, holderSchema, { error: LockedError, cure: "" });
  } catch {
    if (Math.abs(Date.now() - (await writtenAt(path))) < writingMs) return "being written";
    // A foreign file or a damaged one: a holder that cannot be alive, so that it is taken away.
    return { pid: -1, host: hostname(), started: null, token: text };
  }
}

const writtenAt = async (path: string): Promise<number> =>
  (await stat(path).catch(() => ({ mtimeMs: 0 }))).mtimeMs;

async function isAlive(path: string, { pid, host, started }: Holder, others: Others): Promise<boolean> {
  if (host !== hostname()) return others === "outlive";
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  if (started !== null) return started === ((await startOf(pid)) ?? started);
  // No process outlives a restart of its machine.
  return (await writtenAt(path)) > Date.now() - 1000 * uptime();
}

/** When a process started: in ticks since the machine did (proc(5), field 22 of stat), or as macOS's ps says it. */
async function startOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field, the command's name, may hold spaces and brackets.
  const ticks = text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
  if (ticks !== undefined || process.platform === "win32") return ticks ?? null;
  const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
  return new Promise((resolve) => {
    execFile("ps", ["-o", "lstart=", "-p", String(pid)], { env }, (error, printed) =>
      resolve(error === null ? printed.trim() : null),
    );
  });
}

/** Moves a dead holder's lock aside. Another process may have been faster: its lock is then put back. */
async function takeAway(path: string, dead: Holder): Promise<void> {
  // A name of its own: another process that moves a lock at the same time puts that one back.
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const moved = await readHolder(aside);
  const isAnothers = moved === "being written" || (moved !== undefined && moved.token !== dead.token);
  if (isAnothers) await copyFile(aside, path, constants.COPYFILE_EXCL).catch(() => {});
  await rm(aside, { force: true });
}

async function isHeld(path: string, ours: Holder): Promise<boolean> {
  const holder = await readHolder(path);
  return holder !== "being written" && holder?.token === ours.token;
}

async function release(path: string, ours: Holder): Promise<void> {
  if (await isHeld(path, ours)) await rm(path, { force: true });
}
