/** A review in progress: the file of answers, the next pair, and what the answers change. */
import { basename } from "node:path";
import { messageOf } from "../../errors.js";
import type { Answer } from "../../match/review/read-decisions.js";
import { startWorker, type WorkerClient } from "../../runtime/worker-client.js";
import { type AnswerFile, type AskedPair, openAnswers } from "./answer-file.js";
import type { Figures, Matching } from "./figures-worker.js";

export interface ReviewOptions {
  /** Undefined: the page shows no figures, and pairs keep the order of the file. */
  readonly matching?: Matching;
  /** The command that applies the answers. */
  readonly nextCommand?: string;
  /** The options that apply the answers, for a review without tables. Default: `--review` with the file's name. */
  readonly applied?: string;
}

/** What the page shows. */
export interface ReviewState {
  readonly file: string;
  /** Undefined when no pair is open. */
  readonly pair?: AskedPair;
  readonly counts: { readonly pairs: number; readonly open: number } & Readonly<Record<Answer, number>>;
  /** At the pace of the latest answers; undefined before the third. */
  readonly secondsLeft?: number;
  readonly figures?: {
    /** What `found` counts. */
    readonly unit: "matches" | "duplicates";
    readonly points: readonly Point[];
    readonly isBusy: boolean;
    /** Why there are no newer figures. */
    readonly trouble?: string;
  };
  readonly nextCommand?: string;
  readonly applied: string;
}

/** Figures with this number of answers yes and no. */
type Point = Omit<Figures, "next"> & { readonly answers: number };

/** Answers from which the pace is taken. */
const mostPaced = 20;

export class ReviewSession {
  readonly #path: string;
  readonly #answers: AnswerFile;
  readonly #options: ReviewOptions;
  readonly #worker?: WorkerClient;
  readonly #opened?: Promise<unknown>;
  /** Answers written in this session, undone ones too. */
  #written = 0;
  #times: number[] = [];
  #points: Point[] = [];
  #next: readonly string[] = [];
  #isBusy = false;
  #trouble?: string;

  private constructor(path: string, answers: AnswerFile, options: ReviewOptions) {
    [this.#path, this.#answers, this.#options] = [path, answers, options];
    const { matching } = options;
    if (matching === undefined) return;
    this.#worker = startWorker("./figures-worker.js", import.meta.url);
    this.#opened = this.#worker.call("open", matching);
    void this.#refresh();
  }

  /** @throws TableError for a file that is not a review */
  static async open(path: string, options: ReviewOptions): Promise<ReviewSession> {
    return new ReviewSession(path, await openAnswers(path), options);
  }

  /** @param shown the pair to show, if it is in the file; default the open pair that is most worth asking */
  state(shown?: string): ReviewState {
    const pairs = this.#answers.pairs();
    const counts = { pairs: pairs.size, open: 0, yes: 0, no: 0, "?": 0, "": 0 };
    for (const { answer } of pairs.values()) counts[answer]++;
    counts.open = counts[""];
    const isOpen = (id: string): boolean => pairs.get(id)?.answer === "";
    const id = shown ?? this.#next.find(isOpen) ?? [...pairs.keys()].find(isOpen);
    const figures = this.#worker && {
      unit: this.#options.matching?.tables[1] === undefined ? ("duplicates" as const) : ("matches" as const),
      ...{ points: this.#points, isBusy: this.#isBusy, trouble: this.#trouble },
    };
    const file = basename(this.#path);
    const { nextCommand, applied = `--review ${file}` } = this.#options;
    return {
      ...{ file, pair: pairs.get(id ?? ""), counts, figures },
      ...{ secondsLeft: this.#secondsLeft(counts.open), nextCommand, applied },
    };
  }

  /** See {@link AnswerFile.answer}. */
  async answer(id: string, answer: Answer, seen: Answer): Promise<"written" | "taken"> {
    const outcome = await this.#answers.answer(id, answer, seen);
    if (outcome === "taken") return outcome;
    this.#written++;
    if (answer !== "") this.#times = [...this.#times, Date.now()].slice(-mostPaced);
    if (!this.#isBusy) void this.#refresh();
    return outcome;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** Computes figures until they are those of all answers; answers that come meanwhile are taken in together. */
  async #refresh(): Promise<void> {
    if (this.#worker === undefined) return;
    this.#isBusy = true;
    try {
      await this.#opened;
      for (let written = -1; written !== this.#written; ) {
        written = this.#written;
        const { yes, no } = this.state().counts;
        const answers = yes + no;
        const { next, ...figures } = await this.#worker.call<Figures>(
          "figures",
          answers > 0 ? [this.#path] : [],
        );
        const earlier = this.#points.filter((point) => point.answers < answers);
        [this.#points, this.#next] = [[...earlier, { ...figures, answers }], next];
      }
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = messageOf(error);
    }
    this.#isBusy = false;
  }

  #secondsLeft(open: number): number | undefined {
    const gaps = this.#times.slice(1).map((time, place) => time - this.#times[place]);
    if (gaps.length < 2) return undefined;
    return (gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] * open) / 1000;
  }
}
