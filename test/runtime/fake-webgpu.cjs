/**
 * Loaded before a program (`node --require`), in each of its threads: a GPU seems to be present, and sessions on
 * "webgpu" compute on the CPU. FAKE_WEBGPU holds JSON: `delay`, milliseconds that a run takes longer by device;
 * `failAt`, the run on webgpu in a thread that fails, counted from 1 in runs with more than one row; `lost`: all later
 * ones fail, too; `refused`: "open" or "run", what sessions on webgpu refuse in
 * all threads but the first.
 */
const fs = require("node:fs");
const module_ = require("node:module");
const { isMainThread } = require("node:worker_threads");
const ort = require(require.resolve("onnxruntime-node", { paths: [__dirname] }));

const {
  delay = {},
  failAt = Number.POSITIVE_INFINITY,
  lost = false,
  refused,
} = JSON.parse(process.env.FAKE_WEBGPU);

const { existsSync } = fs;
fs.existsSync = (path) => path === "/dev/nvidia0" || /libvulkan\.so\.1$/.test(path) || existsSync(path);
module_.syncBuiltinESMExports();

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const { create } = ort.InferenceSession;
let runs = 0;
ort.InferenceSession.create = async (model, options) => {
  const [provider] = options.executionProviders;
  const device = provider.name ?? provider;
  const isRefused = device === "webgpu" && !isMainThread && refused;
  if (isRefused === "open") throw new Error("refused (a test)");
  const { preferredOutputLocation, ...rest } = options;
  const session = await create.call(ort.InferenceSession, model, { ...rest, executionProviders: ["cpu"] });
  const run = session.run.bind(session);
  session.run = async (feeds, ...more) => {
    const rows = Object.entries(feeds).map(([name, { dims, data }]) => {
      if (name.startsWith("packed_shape/")) return Number(data[0] ?? 1);
      return /^(packed|opening)/.test(name) ? 1 : dims[0];
    });
    const isTrivial = rows.every((count) => count === 1);
    if (device === "webgpu" && !isTrivial && (++runs === failAt || (lost && runs > failAt)))
      throw new Error("device lost (a test)\nsecond line");
    if (isRefused === "run") throw new Error("refused (a test)");
    if (delay[device]) await pause(delay[device]);
    return run(feeds, ...more);
  };
  return session;
};
