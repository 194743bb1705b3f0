/** Sessions and devices: how a graph is run. */
export { type Device, type DeviceChoice, parseDevice } from "./device.js";
export type { SessionOptions } from "./ort-session.js";
export { createSession, type Session } from "./session.js";
export type { Feeds, Tensor, TensorType } from "./tensor.js";
