/** Collects what `pearl doctor` reports: versions, devices, hub settings and optional packages. */
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { packageVersion } from "../../files/version.js";
import { hubSettings } from "../../hub/settings.js";
import { candidates } from "../../runtime/device.js";
import { loadRuntime } from "../../runtime/onnx-runtime.js";
import { optionalParts, pearlFolder } from "./parts.js";
import type { ProbeAnswer } from "./probe.js";

/** Everything that `pearl doctor --json` prints; `works` is true if the embedded model encodes. */
export type Diagnosis = Awaited<ReturnType<typeof diagnose>>;

export async function diagnose(signal: AbortSignal) {
  const runtime = loadRuntime();
  const devices = candidates("auto", runtime.isNative);
  const parts = optionalParts();
  const answers = await probeAll(
    [
      ...["model", "duckdb"],
      ...devices.filter(({ missing }) => missing === undefined).map(({ device }) => device),
      ...parts.filter(({ version }) => version !== undefined).map(({ name }) => name),
    ],
    signal,
  );
  const answerOf = (name: string, otherwise = ""): ProbeAnswer =>
    answers.get(name) ?? { works: false, detail: otherwise };
  const model = answerOf("model");
  const { endpoint, cacheFolder, offline, tokenSource = null } = hubSettings();
  return {
    works: model.works,
    pearl: { version: packageVersion(), folder: pearlFolder },
    node: `${process.version} on ${process.platform} ${process.arch}, ${availableParallelism()} cores`,
    runtime: runtime.name,
    devices: devices.map(({ device, missing }) => ({ name: device, ...answerOf(device, missing) })),
    core: [
      { name: "embedded model", ...model },
      { name: "table engine", ...answerOf("duckdb") },
    ],
    // The source of the token, never the token.
    hub: { endpoint, cacheFolder, offline, tokenSource },
    parts: parts.map((part) => ({ ...part, ...answerOf(part.name, "not installed") })),
  };
}

/** Runs two probes at a time: each loads a native library, and ten at once would slow each other to a timeout. */
async function probeAll(names: string[], signal: AbortSignal): Promise<Map<string, ProbeAnswer>> {
  const answers = new Map<string, ProbeAnswer>();
  const lane = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      answers.set(name, await runProbe(name, signal));
    }
  };
  await Promise.all([lane(), lane()]);
  return answers;
}

const probeSeconds = 30;

/** Runs one probe in a child process; a crash or a timeout is an answer too. */
async function runProbe(name: string, signal: AbortSignal): Promise<ProbeAnswer> {
  signal.throwIfAborted();
  const file = fileURLToPath(new URL("./probe.js", import.meta.url));
  const limits = { timeout: probeSeconds * 1000, killSignal: "SIGKILL", signal } as const;
  const answer = await new Promise<ProbeAnswer>((settle) => {
    execFile(process.execPath, [file, name], limits, (error, output) => {
      const line = output.split("\n").findLast((text) => text.startsWith('{"works":'));
      if (line) return settle(JSON.parse(line) as ProbeAnswer);
      const ending = error?.signal ? `crashed with ${error.signal}` : `ended with code ${error?.code ?? 0}`;
      settle({ works: false, detail: error?.killed ? `no answer within ${probeSeconds} s` : `it ${ending}` });
    });
  });
  signal.throwIfAborted();
  return answer;
}
