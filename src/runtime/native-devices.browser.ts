/** In a browser: CUDA is Node's alone; whether there is WebGPU, src/web/device.ts asks the browser. */

export const missingCuda = (): string => "a browser has no CUDA";

export const missingWebgpu = (): undefined => undefined;
