/** The paper's learning-rate schedule. */
import type { Schedule } from "../training/optimiser/schedule.js";

/** × 0.98 every 2,000 steps (PEARL's code, commit 1d34340). */
export const pearlSchedule: Schedule = { kind: "exponential", factor: 0.98, every: 2000 };
