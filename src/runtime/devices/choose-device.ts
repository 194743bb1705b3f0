/** `--device auto`: times a short step on each device that may work, once on each machine, and keeps the answer. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { availableParallelism, release } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { DeviceError, messageOf } from "../../errors.js";
import { readJson } from "../../files/json.js";
import { cachePath, packageVersion } from "../../files/package.js";
import { writeWholeJson } from "../../files/whole-file.js";
import { type Device, type DeviceChoice, failedDevices, type Place } from "../device.js";
import { compiledFolder } from "../thread.js";
import type { DeviceAnswer } from "./device-probe.js";
import { missingPart, nativePackage } from "./native-devices.js";
import { runProbe } from "./probe.js";

/** Devices in the order that decides between equal times, each with the reason why it cannot work, if one is known. */
export const candidates = (): readonly { readonly device: Device; readonly missing?: string }[] =>
  (["cuda", "webgpu", "cpu"] as const).map((device) => ({ device, missing: missingPart(device, "auto") }));

const Measured = v.object({
  /** What the answer holds for. */
  machine: v.record(v.string(), v.unknown()),
  answers: v.record(
    v.string(),
    v.object({ works: v.boolean(), detail: v.string(), milliseconds: v.optional(v.number()) }),
  ),
});
type Answers = Readonly<Record<string, DeviceAnswer>>;

/** Within one process a device is measured once, also where the answer cannot be kept. */
let known: Promise<Answers> | undefined;

/**
 * Resolves "auto"; a named device is taken as it is, unless it has failed in this process. Where only the CPU may work,
 * nothing is measured. @param onNote called with the line that tells what was measured and where the answer is kept
 */
export async function chooseDevice(choice: DeviceChoice, onNote?: (note: string) => void): Promise<Place> {
  const place = choice === "auto" ? await choose(onNote) : { device: choice, notes: [] };
  if (!failedDevices.has(place.device)) return place;
  return { device: "cpu", notes: [...place.notes, `${place.device}: it has failed`] };
}

async function choose(onNote?: (note: string) => void): Promise<Place> {
  const all = candidates();
  const possible = all.filter(({ missing }) => missing === undefined).map(({ device }) => device);
  const missing = all.flatMap(({ device, missing }) => (missing ? [`${device}: ${missing}`] : []));
  if (possible.length === 1) return { device: "cpu", notes: missing };
  known ??= keptOrMeasured(possible, onNote);
  const { device, others } = compared(possible, await known);
  return { device, notes: [...missing, ...others] };
}

/** The fastest device, and the answers of the others. */
function compared(devices: readonly Device[], answers: Answers) {
  const time = (device: Device) => answers[device].milliseconds ?? Number.POSITIVE_INFINITY;
  const device = devices.reduce((best, other) => (time(other) < time(best) ? other : best), "cpu");
  const others = devices.filter((other) => other !== device);
  return { device, others: others.map((other) => `${other}: ${shown(answers[other])}`) };
}

const shown = ({ milliseconds, detail }: DeviceAnswer): string =>
  milliseconds === undefined ? detail : `${milliseconds.toFixed(1)} ms a step`;

async function keptOrMeasured(devices: readonly Device[], onNote?: (note: string) => void): Promise<Answers> {
  const path = cachePath("device.json");
  const machine = describeMachine(devices);
  const trouble = { error: DeviceError, cure: "" };
  // an unreadable answer is measured again
  const kept = await readJson(path, Measured, trouble).catch(() => undefined);
  if (kept && JSON.stringify(kept.machine) === JSON.stringify(machine)) return kept.answers;
  const answers: Record<string, DeviceAnswer> = {};
  // one after another, so that none slows another
  for (const device of devices) answers[device] = await measureDevice(device);
  const place = await writeWholeJson(path, { machine, answers }).then(
    () => `kept in ${path}`,
    (error) => `not kept (${messageOf(error)})`,
  );
  const { device, others } = compared(devices, answers);
  onNote?.(
    `device auto: ${device}, ${shown(answers[device])} (${others.join("; ")}), measured once, ${place}`,
  );
  return answers;
}

/** Times a short step on a device, in a process of its own. */
export const measureDevice = (device: Device, signal?: AbortSignal): Promise<DeviceAnswer> =>
  runProbe(fileURLToPath(new URL("./device-probe.js", compiledFolder(import.meta.url))), device, signal);

/** What decides the time of a step: versions of pearl, ONNX Runtime and drivers, the cores and the graphics cards. */
function describeMachine(devices: readonly Device[]): Readonly<Record<string, unknown>> {
  const drivers = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"].flatMap((folder) =>
    namesIn(folder).map((name) => {
      // a link may lead nowhere
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      return `${name} ${found?.mtime.toISOString() ?? "leads nowhere"}`;
    }),
  );
  const cards = namesIn("/sys/class/drm").flatMap((card) => {
    const device = join("/sys/class/drm", card, "device");
    const [vendor, model] = [lineOf(join(device, "vendor")), lineOf(join(device, "device"))];
    return vendor && model ? [`${vendor}:${model}`] : [];
  });
  return {
    ...{ pearl: packageVersion(), onnxruntime: nativePackage()?.version, devices },
    system: `${process.platform} ${process.arch} ${release()}, ${availableParallelism()} cores`,
    nvidia: lineOf("/proc/driver/nvidia/version"),
    vulkan: process.env.VK_DRIVER_FILES ?? process.env.VK_ICD_FILENAMES ?? drivers,
    cards: [...new Set(cards)],
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function lineOf(file: string): string {
  try {
    return readFileSync(file, "utf8").split("\n", 1)[0].trim();
  } catch {
    return "";
  }
}
