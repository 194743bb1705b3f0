/** `pearl doctor`: reports what works on this machine, and how to install the rest. */
import { command } from "../command.js";
import { formatBytes } from "../format.js";
import { shared } from "../options.js";
import type { Diagnosis } from "./diagnosis.js";
import type { ProbeAnswer } from "./probe.js";

export default command({
  name: "doctor",
  summary: "check what works on this machine, and show how to install the rest",
  options: [shared.json],
  examples: [
    ["pearl doctor", "a page to read or to paste into a bug report (it contains no secrets)"],
    ["pearl doctor --json", "the same for a program; the exit code is 0 if the embedded model works"],
  ],
  run: async (_, { json }, session) => {
    const { diagnose } = await import("./diagnosis.js");
    const diagnosis = await diagnose(session.signal);
    if (json) session.printJson(diagnosis);
    else session.print(describe(diagnosis));
    if (!diagnosis.works) process.exitCode = 1;
  },
});

function describe({ pearl, node, packages, machine, hub, data, models, ...found }: Diagnosis): string {
  const cores = machine.coreLimit ? `, limited to ${machine.coreLimit.toFixed(1)}` : "";
  const limit = machine.memoryLimitBytes ? `, limited to ${formatBytes(machine.memoryLimitBytes)}` : "";
  const sections: Readonly<Record<string, readonly string[]>> = {
    versions: [
      `pearl ${pearl.version} in ${pearl.folder}`,
      `Node ${node}`,
      ...Object.entries(packages).map(([name, version]) => `${name} ${version ?? "MISSING"}`),
    ],
    machine: [
      `${machine.platform} ${machine.architecture}, ${machine.processor}`,
      `${machine.cores} cores${cores}; ${formatBytes(machine.memoryBytes)} memory, ` +
        `${formatBytes(machine.availableBytes)} available${limit}`,
      `instructions: ${machine.instructions.join(" ") || "unknown"}`,
    ],
    works: found.core.map(findingLine),
    devices: found.devices.map(findingLine),
    models: [models.join(", ") || "none"],
    hub: [
      hub.endpoint + (hub.offline ? ", not used (HF_HUB_OFFLINE is set)" : ""),
      `cache ${hub.cacheFolder}, ${formatBytes(hub.cacheBytes)}`,
      hub.tokenSource ? `token from ${hub.tokenSource}` : "no token (public models need none)",
    ],
    data: [`${data.folder}: ${data.exists ? data.sets.join(", ") || "empty" : "does not exist"}`],
    optional: found.parts.flatMap(({ name, version, works, detail, purpose, install }) => {
      const label = version ? `${name} ${version}` : name;
      return [
        `${label}: ${works ? "works" : detail}; ${purpose}`,
        ...(works ? [] : [`  install: ${install}`]),
      ];
    }),
  };
  const body = Object.entries(sections).flatMap(([title, lines]) =>
    lines.map((line, row) => `${(row === 0 ? title : "").padEnd(9)} ${line}`),
  );
  const verdict = found.works
    ? "The embedded model works. Try: pearl encode FILE"
    : "The embedded model does not work; the reason is above.";
  return [...body, "", verdict].join("\n");
}

const findingLine = ({ name, works, detail }: ProbeAnswer & { readonly name: string }): string =>
  `${name}: ${works ? "works" : "does not work"} (${detail})`;
