/** Before a long training a person at a terminal is asked; scripts, and who has agreed, are not. */
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { announcePlan, runPlanText } from "../../../src/cli/learn/training.js";

const plan = (seconds: number) => ({
  ...{ parameters: 1, steps: 100, learningRate: 1e-3, seconds },
  step: { seconds: seconds / 100, waiting: 0, memory: 1e9 },
});
const never = new AbortController().signal;

/** Announces a plan on a terminal where `typed` is typed, and returns what was said and asked. */
async function announce(
  seconds: number,
  typed: string | undefined,
  {
    isTTY = true,
    signal = never,
    ...options
  }: { isTTY?: boolean; signal?: AbortSignal; yes?: true; minutes?: number } = {},
) {
  const said: string[] = [];
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  if (typed !== undefined) input.end(typed);
  const say = (text: string) => void said.push(text);
  const answer = await announcePlan(
    options,
    { say, signal },
    { input, output },
  )(plan(seconds)).then(
    () => "starts",
    (error: unknown) => error,
  );
  return { said: said.join("\n"), asked: String(output.read() ?? ""), answer };
}

describe("a plan", () => {
  it("says how often the training is evaluated, and what ends it", () => {
    const evaluations = { count: 11, seconds: 2, patience: 3 };
    const text = runPlanText({ ...plan(60), evaluations });
    expect(text).toMatch(
      /^evaluations +11, 2\S* s each; training ends after 3 in a row that are no better$/m,
    );
    expect(runPlanText(plan(60))).not.toContain("evaluations");
  });

  it("says what is trained, on what, and by which loss", () => {
    const summary = { model: "mini, 8 dimensions", data: "2 pairs", loss: "distill, teacher large" };
    const text = runPlanText({ ...plan(60), summary });
    expect(text).toMatch(/^model +mini, 8 dimensions.*\ndata +2 pairs\nloss +distill, teacher large\nsteps/);
  });

  it("of more than ten minutes is asked about on a terminal, and yes is the only answer that starts it", async () => {
    const question = expect.stringContaining("This takes about 10 min 1 s. Start? [y/N] ");
    for (const yes of ["y\n", "Yes\n"])
      expect(await announce(601, yes)).toMatchObject({ asked: question, answer: "starts" });
    for (const no of ["n\n", "\n", ""])
      expect(await announce(601, no)).toMatchObject({
        asked: question,
        answer: expect.objectContaining({ message: expect.stringMatching(/nothing was trained.*--yes/) }),
      });
  });

  it("is said and starts at once where it is short, agreed to, timed by the user, or not on a terminal", async () => {
    for (const outcome of [
      await announce(600, undefined),
      await announce(601, undefined, { yes: true }),
      await announce(601, undefined, { minutes: 11 }),
      await announce(601, undefined, { isTTY: false }),
    ]) {
      expect(outcome).toMatchObject({ asked: "", answer: "starts" });
      expect(outcome.said).toMatch(/steps +100.*\n.*\ntraining +about 10 min .*, after loading/);
    }
  });

  it("that is interrupted while it asks rejects with the reason", async () => {
    const stop = new AbortController();
    setImmediate(() => stop.abort("reason"));
    expect((await announce(601, undefined, { signal: stop.signal })).answer).toBe("reason");
  });
});
