/** The thread that holds a run's engine: on the chosen device, and on the CPU after that has failed. */
import { DeviceError } from "../errors.js";
import { type Device, failedDevices, failureReason, isDeviceFailure, type Place } from "../runtime/device.js";
import { chooseDevice } from "../runtime/devices/choose-device.js";
import { startWorker, type WorkerClient } from "../runtime/worker-client.js";
import type { EngineOptions } from "./engine.js";
import type { EngineState } from "./optimiser/optimiser.js";
import type { TrainingProgram } from "./program.js";
import type { TrainOptions } from "./trainer.js";

/** A call that failed because of the device. */
export class LostDevice extends DeviceError {
  readonly device: Device;

  constructor(device: Device, cause: unknown) {
    super(`${device} failed: ${failureReason(cause)}. Use --device cpu.`, { cause });
    this.device = device;
  }
}

export type EngineClient = Awaited<ReturnType<typeof openEngineClient>>;

async function openWorker(
  program: TrainingProgram,
  { optimiser, clipNorm, threads, spinning, updates }: TrainOptions,
  device: Device,
): Promise<WorkerClient> {
  const worker = startWorker("./training-worker.js", import.meta.url);
  const engine: EngineOptions = { optimiser, clipNorm, threads, spinning, updates, device };
  try {
    await worker.call("open", { program, options: engine });
    return worker;
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}

/** Opens a program; on the CPU if the device that "auto" chose cannot run it. @throws ModelError, DeviceError */
export async function openEngineClient(program: TrainingProgram, options: TrainOptions) {
  const { device: choice = "cpu", onNote } = options;
  const openOn = (device: Device) => openWorker(program, options, device);
  let place: Place = await chooseDevice(choice, onNote);
  let worker = await openOn(place.device).catch((error: unknown) => {
    const { device, notes } = place;
    if (choice !== "auto" || device === "cpu" || !isDeviceFailure(error)) throw error;
    place = { device: "cpu", notes: [...notes, `${device}: ${failureReason(error)}`] };
    return openOn("cpu");
  });
  /** Calls a method of training-worker.ts. @throws LostDevice where the device is to blame */
  async function call<Result>(method: string, payload?: unknown): Promise<Result> {
    const { device } = place;
    try {
      return await worker.call<Result>(method, payload);
    } catch (error) {
      if (device === "cpu" || !isDeviceFailure(error)) throw error;
      throw new LostDevice(device, error);
    }
  }
  return {
    call,
    place: () => place,
    /** Replaces the engine by one on the CPU. @returns whether that has the state of `step`; else it is at the start */
    async moveToCpu(step: number): Promise<boolean> {
      failedDevices.add(place.device);
      const lost = worker;
      const state = await call<EngineState>("state").catch(() => undefined);
      worker = await openOn("cpu");
      place = { device: "cpu", notes: [] };
      void lost.terminate();
      if (state?.step !== step) return false;
      await call("restore", state);
      return true;
    },
    close: () => worker.terminate(),
  };
}
