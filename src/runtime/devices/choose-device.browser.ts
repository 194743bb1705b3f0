/** In a browser nothing is measured: pearl computes on the CPU. */
import type { DeviceChoice, Place } from "../device.js";

export const chooseDevice = async (choice: DeviceChoice): Promise<Place> => ({
  device: choice === "auto" ? "cpu" : choice,
  notes: [],
});
