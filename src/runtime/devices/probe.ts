/** Tries a part of the machine in a process of its own, so that a driver that crashes or hangs is an answer too. */
import { execFile } from "node:child_process";

/** What a probe prints as a line of JSON; `detail` is a note, or the reason why the part does not work. */
export interface ProbeAnswer {
  readonly works: boolean;
  readonly detail: string;
  /** It was ended before it answered: on a busy machine that says nothing about the part. */
  readonly tookTooLong?: true;
}

const probeSeconds = 30;

/**
 * Runs `node file name`.
 * @param seconds how long it may take
 * @throws the signal's reason
 */
export async function runProbe(
  file: string,
  name: string,
  signal?: AbortSignal,
  seconds = probeSeconds,
): Promise<ProbeAnswer> {
  signal?.throwIfAborted();
  const limits = { timeout: seconds * 1000, killSignal: "SIGKILL", signal } as const;
  const answer = await new Promise<ProbeAnswer>((settle) => {
    execFile(process.execPath, [file, name], limits, (error, output) => {
      const line = output.split("\n").findLast((text) => text.startsWith('{"works":'));
      if (line) return settle(JSON.parse(line) as ProbeAnswer);
      const ending = error?.signal ? `crashed with ${error.signal}` : `ended with code ${error?.code ?? 0}`;
      if (error?.killed) settle({ works: false, detail: `no answer within ${seconds} s`, tookTooLong: true });
      else settle({ works: false, detail: `it ${ending}` });
    });
  });
  signal?.throwIfAborted();
  return answer;
}

/** Prints a probe's answer and ends: some drivers crash during shutdown, after the answer. */
export function answerProbe(answer: ProbeAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
}
