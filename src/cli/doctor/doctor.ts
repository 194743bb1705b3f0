/** `pearl doctor`: reports what works on this machine and how to install the rest, or what works of a model. */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { packageVersion } from "../../files/package.js";
import { hubSettings } from "../../hub/settings.js";
import type { Device } from "../../runtime/device.js";
import { candidates, measureDevice } from "../../runtime/devices/choose-device.js";
import { type ProbeAnswer, runProbe } from "../../runtime/devices/probe.js";
import { loadRuntime } from "../../runtime/onnx-runtime.js";
import { command } from "../command.js";
import { shared } from "../options.js";
import type { Session } from "../session.js";
import { optionalParts, pearlFolder } from "./parts.js";

export default command({
  name: "doctor",
  summary: "check what works on this machine or of a model, and show how to install the rest",
  arguments: [["[model]", "embedded name, folder or hub id: try to encode, train and export it"]],
  options: [shared.json],
  examples: [
    ["pearl doctor", "a page to read or to paste into a bug report (it contains no secrets)"],
    ["pearl doctor ./my-model", "family, pooling, modules, prompts; can it encode, be trained, be exported?"],
    ["pearl doctor --json", "the same for a program; the exit code is 0 if the embedded model works"],
  ],
  run: async ([model], { json }, session) => {
    const found = model === undefined ? await machine(session) : await ofModel(model, session);
    if (json) session.printJson(found.diagnosis);
    else session.print(found.page);
    if (!found.diagnosis.works) process.exitCode = 1;
  },
});

async function machine({ signal }: Session) {
  const diagnosis = await diagnose(signal);
  return { diagnosis, page: describe(diagnosis) };
}

async function ofModel(model: string, session: Session) {
  const { diagnoseModel, modelPage } = await import("./model.js");
  const diagnosis = await diagnoseModel(model, session);
  return { diagnosis, page: modelPage(diagnosis) };
}

/** The page that `pearl doctor` prints. */
export function describe({ pearl, node, runtime, hub, ...found }: Diagnosis): string {
  const sections: Readonly<Record<string, readonly string[]>> = {
    versions: [`pearl ${pearl.version} in ${pearl.folder}`, `Node ${node}`, runtime],
    works: found.core.map(findingLine),
    devices: found.devices.map(findingLine),
    hub: [
      hub.endpoint + (hub.offline ? ", not used (HF_HUB_OFFLINE is set)" : ""),
      `cache ${hub.cacheFolder}`,
      hub.tokenSource ? `token from ${hub.tokenSource}` : "no token (public models need none)",
    ],
    optional: found.parts.flatMap(({ name, version, works, detail, tookTooLong, purpose, install }) => {
      const label = version ? `${name} ${version}` : name;
      return [
        `${label}: ${works ? "works" : detail}; ${purpose}`,
        ...(works || tookTooLong ? [] : [`  install: ${install}`]),
      ];
    }),
  };
  const body = Object.entries(sections).flatMap(([title, lines]) =>
    lines.map((line, row) => `${(row === 0 ? title : "").padEnd(9)} ${line}`),
  );
  const verdict = found.works
    ? "The embedded model works. Try: pearl encode FILE"
    : found.core[0].tookTooLong
      ? "The embedded model took too long. Try again when this machine is less busy: pearl doctor"
      : "The embedded model does not work; the reason is above.";
  return [...body, "", verdict].join("\n");
}

function findingLine({ name, works, detail, tookTooLong }: ProbeAnswer & { readonly name: string }): string {
  const finding = works ? "works" : tookTooLong ? "took too long" : "does not work";
  return `${name}: ${finding} (${detail})`;
}

/** Everything that `pearl doctor --json` prints; `works` is true if the embedded model encodes. */
export type Diagnosis = Awaited<ReturnType<typeof diagnose>>;

async function diagnose(signal: AbortSignal) {
  const runtime = loadRuntime();
  const devices = candidates();
  const parts = optionalParts();
  const names = [
    ...["model", "duckdb"],
    ...devices.filter(({ missing }) => missing === undefined).map(({ device }) => device),
    ...parts.filter(({ version }) => version !== undefined).map(({ name }) => name),
  ];
  const answers = await probeAll(names, signal);
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
async function probeAll(names: readonly string[], signal: AbortSignal): Promise<Map<string, ProbeAnswer>> {
  const answers = new Map<string, ProbeAnswer>();
  const file = fileURLToPath(new URL("./probe.js", import.meta.url));
  const isDevice = (name: string): name is Device => candidates().some(({ device }) => device === name);
  const probe = async (name: string) =>
    answers.set(name, await (isDevice(name) ? measureDevice(name, signal) : runProbe(file, name, signal)));
  for (let first = 0; first < names.length; first += 2)
    await Promise.all(names.slice(first, first + 2).map(probe));
  return answers;
}
