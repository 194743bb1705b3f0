/** The thread that holds a run's engine: on the chosen device, and on the CPU after that has failed. */
import { DeviceError } from "../errors.js";
import type { Device, Place } from "../runtime/device.js";
import { chooseDevice } from "../runtime/devices/choose-device.js";
import { failedDevices, failureReason, isDeviceFailure } from "../runtime/devices/device-failure.js";
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

export class EngineClient {
  readonly #open: (device: Device) => Promise<WorkerClient>;
  #worker: WorkerClient;
  #place: Place;

  private constructor(open: (device: Device) => Promise<WorkerClient>, worker: WorkerClient, place: Place) {
    this.#open = open;
    this.#worker = worker;
    this.#place = place;
  }

  /** Opens a program; on the CPU if the device that "auto" chose cannot run it. @throws ModelError, DeviceError */
  static async open(program: TrainingProgram, options: TrainOptions): Promise<EngineClient> {
    const { device: choice = "cpu", onNote, optimiser, clipNorm, threads, spinning, updates } = options;
    const openOn = async (device: Device): Promise<WorkerClient> => {
      const worker = startWorker("./training-worker.js", import.meta.url);
      const engine: EngineOptions = { optimiser, clipNorm, threads, spinning, updates, device };
      try {
        await worker.call("open", { program, options: engine });
        return worker;
      } catch (error) {
        await worker.terminate();
        throw error;
      }
    };
    const { device, notes } = await chooseDevice(choice, onNote);
    try {
      return new EngineClient(openOn, await openOn(device), { device, notes });
    } catch (error) {
      if (choice !== "auto" || device === "cpu" || !isDeviceFailure(error)) throw error;
      const place: Place = { device: "cpu", notes: [...notes, `${device}: ${failureReason(error)}`] };
      return new EngineClient(openOn, await openOn("cpu"), place);
    }
  }

  get place(): Place {
    return this.#place;
  }

  /** Calls a method of training-worker.ts. @throws LostDevice where the device is to blame */
  async call<Result>(method: string, payload?: unknown): Promise<Result> {
    const { device } = this.#place;
    try {
      return await this.#worker.call<Result>(method, payload);
    } catch (error) {
      if (device === "cpu" || !isDeviceFailure(error)) throw error;
      throw new LostDevice(device, error);
    }
  }

  /** Replaces the engine by one on the CPU. @returns whether that has the state of `step`; else it is at the start */
  async moveToCpu(step: number): Promise<boolean> {
    failedDevices.add(this.#place.device);
    const lost = this.#worker;
    const state = await this.call<EngineState>("state").catch(() => undefined);
    this.#worker = await this.#open("cpu");
    this.#place = { device: "cpu", notes: [] };
    void lost.terminate();
    if (state?.step !== step) return false;
    await this.call("restore", state);
    return true;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
