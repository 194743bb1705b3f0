/** Keeps ONNX Runtime's own telemetry off: what pearl reads stays on the machine. */

/**
 * Tells ONNX Runtime, before it is loaded, to report nothing. Its Linux build collects usage data by default, keeps
 * a device id in the temporary folder and sends events to its makers. A user's own setting of the variable holds.
 * Threads have a copy of the environment that native code does not see, so this must run in the main thread too,
 * before the first thread starts.
 */
export function silenceTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY ??= "1";
}
