/** In a browser nothing is measured: src/web/device.ts has resolved a page's choice before. */
import type { DeviceChoice, Place } from "../device.js";

export const chooseDevice = async (choice: DeviceChoice): Promise<Place> => ({
  device: choice === "auto" ? "cpu" : choice,
  notes: [],
});
