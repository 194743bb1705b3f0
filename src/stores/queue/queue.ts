/**
 * The queue of workers in PostgreSQL, by pg-boss in a schema of its own. A job belongs to one worker until that has been
 * silent for too long. What ends a job, and the jobs that follow it, are one transaction.
 */
import type PgBoss from "pg-boss";
import { messageOf, TableError } from "../../errors.js";
import { loadOptional, packageVersion } from "../../files/package.js";
import { inTurn } from "../../in-turn.js";
import {
  connectPostgres,
  inTransaction,
  type PostgresConnection,
  type PostgresValue,
} from "../../table/postgres/connection.js";
import { pauseAfterLoss } from "../../table/postgres/trouble.js";
import { checkJob, firstJobs, type Job, nextJobs, outputState, type QueuedRun } from "./job.js";

/** Not pg-boss's usual one, which another program may use with another version. */
const schema = "pearl_queue";
const jobs = `${schema}.job`;
/** Of this version of pearl: the parts of others cannot be merged with its own. */
const queueName = `pearl-${packageVersion()}`;

/** When a job is given to another worker, and how often. */
export interface JobLimits {
  /** Seconds of silence after which a worker is taken for dead. */
  readonly expireInSeconds: number;
  /** How many times a job is done again after it failed or its worker died. */
  readonly retryLimit: number;
}

/** A job that this process does. */
export interface HeldJob extends JobLimits {
  readonly id: string;
  /** How many times it was given to a worker before. */
  readonly retryCount: number;
  readonly job: Job;
}

/** What a command printed on standard output, and its notes. */
export interface Printed {
  readonly printed: string;
  readonly notes: string;
  /** Of a merge: how it left the output. */
  readonly output?: string;
}

/** A job that failed as often as it may. */
export interface DeadJob {
  readonly job: Job;
  readonly message: string;
}

/** How far a run is. */
export interface RunState {
  /** Jobs that are waiting or being done. */
  readonly open: number;
  readonly active: number;
  readonly learned: number;
  readonly shards: number;
  /** What the merge printed; null until it is done. */
  readonly merged: Printed | null;
  readonly dead: readonly DeadJob[];
}

interface QueueOptions {
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
}

/** A process's way to the queue. A statement whose connection is lost runs again on a new one. */
export class JobQueue {
  #open: OpenQueue | undefined;
  #isKnown = false;
  /** A transaction is its connection's alone. */
  readonly #next = inTurn();

  private constructor(
    private readonly address: string,
    private readonly options: QueueOptions,
  ) {}

  /** @throws TableError where the database cannot be used; MissingDataError without `pg` or `pg-boss` */
  static async open(address: string, options: QueueOptions = {}): Promise<JobQueue> {
    const queue = new JobQueue(address, options);
    await queue.#ask(({ boss }) => boss.maintain());
    return queue;
  }

  /** The address, without its password. */
  get shown(): string {
    return this.#open?.connection.shown ?? "";
  }

  async close(): Promise<void> {
    await this.#open?.connection.close();
    this.#open = undefined;
  }

  #ask<Result>(work: (open: OpenQueue) => Promise<Result>): Promise<Result> {
    return this.#next(async () => {
      for (let lost = 0; ; lost++) {
        try {
          this.#open ??= await openQueue(this.address);
          this.#isKnown = true;
          return await work(this.#open);
        } catch (error) {
          await this.close();
          if (!this.#isKnown) throw error;
          await pauseAfterLoss(error, lost, this.options);
        }
      }
    });
  }

  #inTransaction<Result>(work: (open: OpenQueue) => Promise<Result>): Promise<Result> {
    return this.#ask((open) => inTransaction(open.connection, () => work(open)));
  }

  /**
   * Queues a run. If it is already queued, its failed jobs are queued again and the others are left alone; if it is done and its
   * output is as it was left, all are.
   */
  submit(run: QueuedRun, limits: JobLimits): Promise<"new" | "continued" | "done"> {
    return this.#inTransaction(async (open) => {
      const { connection } = open;
      await lockRun(connection, run.run);
      const ofRun = "WHERE name = $1 AND data->>'run' = $2";
      const [{ waiting, made }] = await connection.query<{ waiting: number; made: string | null }>(
        `SELECT (count(*) FILTER (WHERE state < 'completed'))::int AS waiting,
           max(output->>'output') FILTER (WHERE state = 'completed' AND data->>'step' = 'merge') AS made
         FROM ${jobs} ${ofRun}`,
        [queueName, run.run],
      );
      if (made !== null && made === (await outputState(run))) return "done";
      const failed = await connection.query<{ data: unknown }>(
        `DELETE FROM ${jobs} ${ofRun} ${waiting > 0 ? "AND state = 'failed'" : ""} RETURNING data`,
        [queueName, run.run],
      );
      await insert(open, waiting > 0 ? failed.map(({ data }) => checkJob(data)) : firstJobs(run), limits);
      return waiting > 0 ? "continued" : "new";
    });
  }

  /** The next job, which is then this process's. */
  take(): Promise<HeldJob | undefined> {
    return this.#ask(async (open) => {
      const [found] = await open.boss.fetch(queueName, { batchSize: 1, includeMetadata: true });
      if (found === undefined) {
        // pg-boss takes every failure of this statement for a job that another worker was given.
        const { trouble } = open;
        open.trouble = undefined;
        if (trouble !== undefined) throw trouble;
        return undefined;
      }
      const { id, data, retryCount, retryLimit, expireInSeconds } = found;
      try {
        return { id, retryCount, retryLimit, expireInSeconds: Number(expireInSeconds), job: checkJob(data) };
      } catch (error) {
        await open.boss.fail(queueName, id, { message: messageOf(error) });
        return undefined;
      }
    });
  }

  /** Gives jobs of silent workers to others. */
  expire(): Promise<void> {
    return this.#ask(({ boss }) => boss.expire());
  }

  /** Whether no job is waiting or being done. */
  isEmpty(): Promise<boolean> {
    return this.#ask(async ({ connection }) => {
      const found = await connection.query(
        `SELECT FROM ${jobs} WHERE name = $1 AND state < 'completed' LIMIT 1`,
        [queueName],
      );
      return found.length === 0;
    });
  }

  /** Tells that a job is being done. @returns whether it is still this process's */
  touch(held: HeldJob): Promise<boolean> {
    return this.#set(held, "started_on = now()");
  }

  /** Gives a job back as if it had not been taken. */
  release(held: HeldJob): Promise<boolean> {
    return this.#set(held, "state = 'retry', start_after = now(), started_on = NULL");
  }

  #set(held: HeldJob, change: string): Promise<boolean> {
    return this.#ask(async ({ connection }) => {
      const sql = `UPDATE ${jobs} SET ${change} WHERE ${isHeld} RETURNING id`;
      return (await connection.query(sql, valuesOf(held))).length > 0;
    });
  }

  /** @returns whether the job was still this process's */
  complete(held: HeldJob, printed: Printed): Promise<boolean> {
    return this.#end(held, async (open) => {
      const { job, id } = held;
      // Of two shards that end at once, the second sees that it is the last.
      await lockRun(open.connection, job.run);
      await open.boss.complete(queueName, id, printed);
      const [{ left }] = await open.connection.query<{ left: number }>(
        `SELECT count(*)::int AS left FROM ${jobs}
         WHERE name = $1 AND data->>'run' = $2 AND data->>'step' = 'shard' AND state <> 'completed'`,
        [queueName, job.run],
      );
      await insert(open, nextJobs(job, left), held);
    });
  }

  /** Lets a job be done again or, after the last time, leaves it failed. @returns whether it was still this process's */
  fail(held: HeldJob, message: string, how: "this time" | "for good" = "this time"): Promise<boolean> {
    return this.#end(held, async ({ boss, connection }) => {
      if (how === "for good")
        await connection.query(
          `UPDATE ${jobs} SET retry_limit = retry_count WHERE ${isHeld}`,
          valuesOf(held),
        );
      await boss.fail(queueName, held.id, { message });
    });
  }

  #end(held: HeldJob, end: (open: OpenQueue) => Promise<void>): Promise<boolean> {
    return this.#inTransaction(async (open) => {
      const sql = `SELECT FROM ${jobs} WHERE ${isHeld} FOR UPDATE`;
      if ((await open.connection.query(sql, valuesOf(held))).length === 0) return false;
      await end(open);
      return true;
    });
  }

  /** @param run its identity */
  state(run: string): Promise<RunState> {
    return this.#ask(async ({ connection }) => {
      const done = (step: Job["step"]): string =>
        `FILTER (WHERE state = 'completed' AND data->>'step' = '${step}')`;
      const [counts] = await connection.query<Omit<RunState, "dead">>(
        `SELECT (count(*) FILTER (WHERE state < 'completed'))::int AS open,
           (count(*) FILTER (WHERE state = 'active'))::int AS active,
           (count(*) ${done("learn")})::int AS learned, (count(*) ${done("shard")})::int AS shards,
           (array_agg(output) ${done("merge")})[1] AS merged
         FROM ${jobs} WHERE name = $1 AND data->>'run' = $2`,
        [queueName, run],
      );
      const dead = await connection.query<{ data: unknown; message: string | null }>(
        `SELECT data, output->>'message' AS message FROM ${jobs} WHERE name = $1 AND data->>'run' = $2
           AND state = 'failed' ORDER BY data->'index'`,
        [queueName, run],
      );
      return {
        ...counts,
        dead: dead.map(({ data, message }) => ({
          job: checkJob(data),
          message: message ?? "its worker was killed, or ran out of memory.",
        })),
      };
    });
  }
}

/** A job given to a process: another one that takes it counts one more. */
const isHeld = "name = $1 AND id = $2::uuid AND state = 'active' AND retry_count = $3";
const valuesOf = ({ id, retryCount }: HeldJob) => [queueName, id, retryCount] as const;

const lockRun = (connection: PostgresConnection, run: string) =>
  connection.query("SELECT pg_advisory_xact_lock(hashtextextended('pearl run ' || $1, 0))", [run]);

async function insert({ boss }: OpenQueue, added: readonly Job[], limits: JobLimits): Promise<void> {
  const { expireInSeconds, retryLimit } = limits;
  await boss.insert(
    added.map((data) => ({
      ...{ name: queueName, data, expireInSeconds, retryLimit },
      ...{ retryDelay: 1, retryBackoff: true },
      // Runs end in the order in which they began.
      priority: data.step === "shard" ? 0 : 1,
    })),
  );
}

interface OpenQueue {
  readonly connection: PostgresConnection;
  readonly boss: PgBoss;
  /** The last error of a statement of pg-boss. */
  trouble: unknown;
}

const makingLock = "hashtextextended('pearl queue', 0)";

/** Days after which finished jobs, and those that nobody does, are forgotten. */
const keptDays = 30;

/** The queue, made where it is missing. @throws TableError, MissingDataError */
async function openQueue(address: string): Promise<OpenQueue> {
  const Boss = loadOptional<typeof PgBoss>("pg-boss", "a queue of workers");
  const connection = await connectPostgres(address);
  try {
    const executeSql = async (text: string, values?: unknown[]) => {
      try {
        const rows = await connection.query(text, values as PostgresValue[] | undefined);
        // Several statements at once have no rows.
        return { rows: (rows as typeof rows | undefined) ?? [] };
      } catch (error) {
        if (/^\s*BEGIN/.test(text)) await connection.query("ROLLBACK").catch(() => undefined);
        open.trouble = withRights(error, connection.shown);
        throw open.trouble;
      }
    };
    const boss = new Boss({
      ...{ schema, db: { executeSql }, supervise: false, schedule: false },
      ...{ archiveCompletedAfterSeconds: keptDays * 24 * 60 * 60, retentionDays: keptDays },
    });
    const open: OpenQueue = { connection, boss, trouble: undefined };
    // Two that make a queue at the same time would wait for each other's locks.
    await connection.query(`SELECT pg_advisory_lock(${makingLock})`);
    await boss.start();
    if ((await boss.getQueue(queueName)) === null) await boss.createQueue(queueName);
    await connection.query(`SELECT pg_advisory_unlock(${makingLock})`);
    return open;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** A queue's rights are granted for all of its tables at once. */
function withRights(error: unknown, shown: string): unknown {
  const { code, message } = Object((error as Error).cause) as { code?: string; message?: string };
  if (code !== "42501" || message?.includes("for database")) return error;
  return new TableError(
    `${shown}: this user may not use the queue (${message}). Let its owner grant it: GRANT USAGE ON SCHEMA ${schema} TO USER; ` +
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO USER`,
    { cause: error },
  );
}
