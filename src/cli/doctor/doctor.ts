/** `pearl doctor`: reports what works on this machine, and how to install the rest. */
import { command } from "../command.js";
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

function describe({ pearl, node, runtime, hub, ...found }: Diagnosis): string {
  const sections: Readonly<Record<string, readonly string[]>> = {
    versions: [`pearl ${pearl.version} in ${pearl.folder}`, `Node ${node}`, runtime],
    works: found.core.map(findingLine),
    devices: found.devices.map(findingLine),
    hub: [
      hub.endpoint + (hub.offline ? ", not used (HF_HUB_OFFLINE is set)" : ""),
      `cache ${hub.cacheFolder}`,
      hub.tokenSource ? `token from ${hub.tokenSource}` : "no token (public models need none)",
    ],
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
