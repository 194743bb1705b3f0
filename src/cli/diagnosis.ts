/** Gathers what `pearl doctor` reports: versions, machine, devices, hub, data, models and optional parts. */
import { spawn } from "node:child_process";
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultDataFolder } from "../benchmark/data-folder.js";
import { hubSettings } from "../encoder/hub-settings.js";
import { listModels } from "../encoder/inventory.js";
import { candidates, type Device } from "../runtime/device.js";
import { type Machine, readMachine } from "./machine.js";
import {
  checkWordVectors,
  findPackage,
  type OptionalPart,
  optionalParts,
  type PartStatus,
  pearlFolder,
} from "./packages.js";
import type { ProbeAnswer } from "./probe.js";

/** Something that was tried. */
export interface Finding extends ProbeAnswer {
  readonly name: string;
}

/** An optional part with what was found of it. */
export interface PartFinding extends OptionalPart, ProbeAnswer {
  readonly version?: string;
}

/** Everything `pearl doctor --json` prints. */
export interface Diagnosis {
  /** True where the embedded default model encodes: the rest is extra. */
  readonly works: boolean;
  readonly pearl: { readonly version: string; readonly folder: string };
  readonly node: string;
  /** Versions of the packages that do the heavy work; null where one is missing. */
  readonly packages: Readonly<Record<string, string | null>>;
  readonly machine: Machine;
  readonly devices: readonly Finding[];
  /** The embedded default model and the table engine, tried. */
  readonly core: readonly Finding[];
  readonly hub: {
    readonly endpoint: string;
    readonly cacheFolder: string;
    /** 0 where there is no cache yet. */
    readonly cacheBytes: number;
    readonly offline: boolean;
    /** Where the token comes from; never the token. */
    readonly tokenSource: string | null;
  };
  readonly data: { readonly folder: string; readonly exists: boolean; readonly sets: readonly string[] };
  /** Names that `--model` takes without a download. */
  readonly models: readonly string[];
  readonly parts: readonly PartFinding[];
}

const heavyPackages = [
  "onnxruntime-node",
  "onnxruntime-common",
  "@duckdb/node-api",
  "@huggingface/tokenizers",
];

/** Looks at everything and tries what can be tried, each native part in a process of its own. */
export async function diagnose(signal: AbortSignal): Promise<Diagnosis> {
  const probe = limitedProbe(signal);
  const [model, duckdb, devices, parts] = await Promise.all([
    probe("model"),
    probe("duckdb"),
    Promise.all(candidates("auto").map((candidate) => checkDevice(candidate, probe))),
    optionalParts().then((found) => Promise.all(found.map((part) => checkPart(part, probe)))),
  ]);
  const manifest = JSON.parse(await readFile(join(pearlFolder, "package.json"), "utf8")) as {
    version: string;
  };
  const packages: Record<string, string | null> = {};
  for (const name of heavyPackages) packages[name] = (await findPackage(name))?.version ?? null;
  return {
    works: model.works,
    pearl: { version: manifest.version, folder: pearlFolder },
    node: process.version,
    packages,
    machine: await readMachine(),
    devices,
    core: [
      { name: "embedded model", ...model },
      { name: "table engine", ...duckdb },
    ],
    hub: await describeHub(),
    data: await describeData(),
    models: (await listModels()).filter(({ problem }) => !problem).map(({ model: name }) => name),
    parts,
  };
}

type Probe = (name: string) => Promise<ProbeAnswer>;

async function checkDevice(candidate: { device: Device; missing?: string }, probe: Probe): Promise<Finding> {
  const { device, missing } = candidate;
  if (missing) return { name: device, works: false, detail: missing };
  return { name: device, ...(await probe(device)) };
}

async function checkPart(status: PartStatus, probe: Probe): Promise<PartFinding> {
  const { installed, name, purpose, install } = status;
  const part = { name, purpose, install };
  if (!installed) return { ...part, works: false, detail: "not installed" };
  const isWordVectors = part.name.startsWith("wink-");
  const answer = isWordVectors ? await checkWordVectors(installed.folder) : await probe(part.name);
  return { ...part, version: installed.version, ...answer };
}

/** Probes run two at a time: each loads a native library, and ten at once would time each other out. */
function limitedProbe(signal: AbortSignal): Probe {
  const slots = [Promise.resolve<unknown>(undefined), Promise.resolve<unknown>(undefined)];
  let next = 0;
  return (name) => {
    const slot = next++ % slots.length;
    const result = slots[slot].then(() => runProbe(name, signal));
    slots[slot] = result;
    return result;
  };
}

const probeSeconds = 30;

/** Runs one probe in a child process; a crash or a hang is an answer too. */
async function runProbe(name: string, signal: AbortSignal): Promise<ProbeAnswer> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [fileURLToPath(new URL("./probe.js", import.meta.url)), name], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const end = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", end, { once: true });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, probeSeconds * 1000);
  const ending = await new Promise<string>((settle) => {
    child.on("error", (error) => settle(error.message));
    child.on("close", (code, name) =>
      settle(name ? `it crashed with ${name}` : `it ended with code ${code}`),
    );
  });
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  const answer = output.split("\n").findLast((line) => line.startsWith('{"works":'));
  if (answer) return JSON.parse(answer) as ProbeAnswer;
  return { works: false, detail: isLate ? `no answer within ${probeSeconds} s` : ending };
}

async function describeHub(): Promise<Diagnosis["hub"]> {
  const { endpoint, cacheFolder, offline, tokenSource } = hubSettings();
  const cacheBytes = await sizeOf(cacheFolder);
  return { endpoint, cacheFolder, cacheBytes, offline, tokenSource: tokenSource ?? null };
}

/** Bytes of the regular files in a folder; links into it are not counted twice. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((): Dirent[] => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    bytes += (await stat(path).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

async function describeData(): Promise<Diagnosis["data"]> {
  const folder = resolve(await defaultDataFolder());
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  const sets = (entries ?? []).map((entry) => entry.name).filter((name) => !name.startsWith("."));
  return { folder, exists: entries !== undefined, sets: sets.sort() };
}
