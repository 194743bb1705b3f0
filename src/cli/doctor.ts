/** `pearl doctor`: what works on this machine, and how to get the rest. */
import type { Command } from "commander";
import type { Diagnosis, PartFinding } from "./diagnosis.js";
import { formatBytes } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import type { Machine } from "./machine.js";
import { addExamples } from "./options.js";

interface DoctorOptions {
  readonly json?: boolean;
}

export function registerDoctor(program: Command): void {
  const command = program
    .command("doctor")
    .description("check what works on this machine, and say how to get the rest")
    .option("--json", "print JSON")
    .action(async (options: DoctorOptions) => {
      const { diagnose } = await import("./diagnosis.js");
      const diagnosis = await diagnose(interruptionSignal());
      process.stdout.write(
        options.json ? `${JSON.stringify(diagnosis, null, 2)}\n` : `${describe(diagnosis)}\n`,
      );
      if (!diagnosis.works) process.exitCode = 1;
    });
  addExamples(command, [
    ["pearl doctor", "a page to read, or to put into a bug report (it holds no secrets)"],
    ["pearl doctor --json", "the same for a program; the exit code is 0 where the embedded model works"],
  ]);
}

function describe(diagnosis: Diagnosis): string {
  const { pearl, node, packages, hub, data, models } = diagnosis;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version ?? "MISSING"}`);
  const sections: [string, string[]][] = [
    ["versions", [`pearl ${pearl.version} in ${pearl.folder}`, `Node ${node}`, ...versions]],
    ["machine", describeMachine(diagnosis.machine)],
    ["works", diagnosis.core.map(findingLine)],
    ["devices", diagnosis.devices.map(findingLine)],
    ["models", [models.join(", ") || "none"]],
    [
      "hub",
      [
        hub.endpoint + (hub.offline ? ", not to be asked (HF_HUB_OFFLINE)" : ""),
        `cache ${hub.cacheFolder}, ${formatBytes(hub.cacheBytes)}`,
        hub.tokenSource ? `token from ${hub.tokenSource}` : "no token (public models need none)",
      ],
    ],
    ["data", [`${data.folder}${data.exists ? `: ${data.sets.join(", ") || "empty"}` : ", not there"}`]],
    ["optional", diagnosis.parts.flatMap(describePart)],
  ];
  const body = sections.flatMap(([title, lines]) =>
    lines.map((line, index) => `${(index === 0 ? title : "").padEnd(9)} ${line}`),
  );
  const verdict = diagnosis.works
    ? "The embedded model works: pearl encode FILE."
    : "The embedded model does not work: see above.";
  return [...body, "", verdict].join("\n");
}

function findingLine(finding: { name: string; works: boolean; detail: string }): string {
  return `${finding.name}: ${finding.works ? "works" : "does not work"} (${finding.detail})`;
}

function describePart(part: PartFinding): string[] {
  const label = part.version ? `${part.name} ${part.version}` : part.name;
  if (part.works) return [`${label}: works; ${part.purpose}`];
  return [`${label}: ${part.detail}; ${part.purpose}`, `  install: ${part.install}`];
}

function describeMachine(machine: Machine): string[] {
  const { coreLimit, memoryLimitBytes, instructions } = machine;
  const cores = `${machine.cores} cores${coreLimit ? `, limited to ${coreLimit.toFixed(1)}` : ""}`;
  const limit = memoryLimitBytes ? `, limited to ${formatBytes(memoryLimitBytes)}` : "";
  const memory = `${formatBytes(machine.memoryBytes)} memory, ${formatBytes(machine.availableBytes)} available${limit}`;
  return [
    `${machine.platform} ${machine.architecture}, ${machine.processor}`,
    `${cores}; ${memory}`,
    `instructions: ${instructions.join(" ") || "not told by the system"}`,
  ];
}
