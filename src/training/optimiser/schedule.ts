/** Learning-rate schedules. */

/** A schedule as plain data, so that checkpoints and model cards can hold it. */
export type Schedule =
  | { readonly kind: "constant" }
  /** × `factor` every `every` steps. */
  | { readonly kind: "exponential"; readonly factor: number; readonly every: number }
  /** Linear from 0 over `warmUp` steps, then half a cosine down to the factor `floor` (default 0) at step `steps`. */
  | {
      readonly kind: "warm-up-cosine";
      readonly warmUp: number;
      readonly steps: number;
      readonly floor?: number;
    };

/** The factor of the learning rate at a step, counted from 0. */
export function scheduleFactor(schedule: Schedule, step: number): number {
  switch (schedule.kind) {
    case "constant":
      return 1;
    case "exponential":
      return schedule.factor ** Math.floor(step / schedule.every);
    case "warm-up-cosine": {
      const { warmUp, steps, floor = 0 } = schedule;
      if (step < warmUp) return (step + 1) / warmUp;
      const way = Math.min(1, (step - warmUp) / Math.max(1, steps - warmUp));
      return floor + ((1 - floor) * (1 + Math.cos(Math.PI * way))) / 2;
    }
  }
}
