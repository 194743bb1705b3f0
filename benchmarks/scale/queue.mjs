/**
 * A discrete-event simulation of `pearl work`: workers take the first pass, the shards and the merge from the queue. Each try of
 * a job has a slowdown of its own. A killed worker's job waits until the queue takes the worker for dead, then for pg-boss's
 * delay (10.x, failJobs in plans.js), which doubles with each retry. After the last retry it is a dead letter.
 */
import { Heap } from "../../dist/heap.js";

/**
 * @typedef {object} QueueRun
 * @property {number} workers
 * @property {number} shards
 * @property {number} [learn] seconds of the first pass without slowdown; 0 for none
 * @property {number} shard seconds of each shard
 * @property {number} [merge]
 * @property {() => number} random uniform numbers in [0, 1)
 * @property {(random: () => number) => number} [slowdown] factor for each try of a job
 * @property {(random: () => number) => number} [untilKill] seconds that a worker lives
 * @property {number} [restart] seconds until another worker takes a killed one's place
 * @property {number} [expire] `--expire`: a worker that is silent for so many seconds is taken for dead
 * @property {number} [retries] `--retries`
 * @property {number} [poll] seconds between two looks into the queue
 * @property {number} [retryDelay] seconds before the first retry
 *
 * @typedef {object} Job
 * @property {"learn" | "shard" | "merge"} step
 * @property {number} place among the waiting jobs: smaller ones are taken first
 * @property {number} seconds
 * @property {number} retry times that it was done before
 *
 * @typedef {object} Worker
 * @property {Job} [job]
 * @property {number} started when it took the job
 * @property {number} kills of this worker: what was to happen in an earlier life does not
 * @property {boolean} isIdle
 */

const usual = {
  ...{ learn: 0, merge: 0, restart: 0, expire: 60, retries: 3, poll: 1, retryDelay: 1 },
  slowdown: () => 1,
  untilKill: () => Infinity,
};

/**
 * @param {QueueRun} run
 * @returns `seconds` until the result or, with dead letters, until no job is left; seconds `worked` on jobs that ended, and `lost`
 */
export function simulateQueue(run) {
  const queue = new Queue({ ...usual, ...run });
  return queue.run();
}

class Queue {
  now = 0;
  found = { seconds: 0, worked: 0, lost: 0, kills: 0, dead: 0 };
  /** Jobs that are waiting or being done. */
  open = 0;
  /** @type {Heap<{ time: number, act: () => void }>} */
  events = new Heap((a, b) => a.time < b.time);
  /** @type {Heap<Job>} */
  waiting = new Heap((a, b) => a.place < b.place);

  constructor(/** @type {Required<QueueRun>} */ settings) {
    this.settings = settings;
    this.left = settings.shards;
    this.workers = Array.from({ length: settings.workers }, () => {
      return /** @type {Worker} */ ({ job: undefined, started: 0, kills: 0, isIdle: false });
    });
  }

  run() {
    const { learn } = this.settings;
    if (learn > 0) this.submit("learn", 0, learn);
    else this.submitShards();
    for (const worker of this.workers) this.live(worker);
    for (let event = this.events.pop(); event !== undefined && this.open > 0; event = this.events.pop()) {
      this.now = event.time;
      event.act();
    }
    return this.found;
  }

  after(/** @type {number} */ seconds, /** @type {() => void} */ act) {
    if (seconds < Infinity) this.events.push({ time: this.now + seconds, act });
  }

  /** Later, unless the worker is killed before. */
  afterIn(/** @type {Worker} */ worker, /** @type {number} */ seconds, /** @type {() => void} */ act) {
    const { kills } = worker;
    this.after(seconds, () => worker.kills === kills && act());
  }

  submit(/** @type {Job["step"]} */ step, /** @type {number} */ place, /** @type {number} */ seconds) {
    this.open++;
    this.add({ step, place, seconds, retry: 0 });
  }

  submitShards() {
    const { shards, shard } = this.settings;
    for (let place = 1; place <= shards; place++) this.submit("shard", place, shard);
  }

  add(/** @type {Job} */ job) {
    this.waiting.push(job);
    const { poll, random } = this.settings;
    const idle = this.workers.find(({ isIdle }) => isIdle);
    if (idle === undefined) return;
    idle.isIdle = false;
    this.afterIn(idle, poll * random(), () => this.take(idle));
  }

  take(/** @type {Worker} */ worker) {
    const { slowdown, random } = this.settings;
    const job = this.waiting.pop();
    worker.isIdle = job === undefined;
    if (job === undefined) return;
    Object.assign(worker, { job, started: this.now });
    this.afterIn(worker, job.seconds * slowdown(random), () => this.complete(worker, job));
  }

  complete(/** @type {Worker} */ worker, /** @type {Job} */ job) {
    const { found } = this;
    found.worked += this.now - worker.started;
    worker.job = undefined;
    this.end();
    if (job.step === "learn") this.submitShards();
    else if (job.step === "shard" && --this.left === 0) this.submit("merge", 0, this.settings.merge);
    this.take(worker);
  }

  end() {
    this.open--;
    this.found.seconds = this.now;
  }

  live(/** @type {Worker} */ worker) {
    const { untilKill, random } = this.settings;
    this.afterIn(worker, untilKill(random), () => this.kill(worker));
    this.take(worker);
  }

  kill(/** @type {Worker} */ worker) {
    const { restart, expire, poll, random } = this.settings;
    const { job, started } = worker;
    this.found.kills++;
    Object.assign(worker, { job: undefined, kills: worker.kills + 1, isIdle: false });
    this.after(restart, () => this.live(worker));
    if (job === undefined) return;
    this.found.lost += this.now - started;
    const silent = (this.now - started) % (expire / 3);
    this.after(expire - silent + poll * random(), () => this.retry(job));
  }

  retry(/** @type {Job} */ { retry, ...job }) {
    const { retries, retryDelay, random } = this.settings;
    if (retry === retries) {
      this.found.dead++;
      this.end();
      return;
    }
    const delay = (retryDelay * 2 ** Math.min(16, retry + 1) * (1 + random())) / 2;
    this.after(delay, () => this.add({ ...job, retry: retry + 1 }));
  }
}

/**
 * Returns slowdowns of at least 1 with a heavy tail: the share of those beyond x is x ^ -tail (Pareto).
 * @param {number} tail
 */
export const pareto = (tail) => (/** @type {() => number} */ random) => (1 - random()) ** (-1 / tail);

/**
 * Returns times of a mean, without memory.
 * @param {number} mean
 */
export const exponential = (mean) => (/** @type {() => number} */ random) => -mean * Math.log(1 - random());
