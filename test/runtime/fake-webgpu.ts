/** The environment of a program with fake-webgpu.cjs. */
import { fileURLToPath } from "node:url";

export interface FakeWebgpu {
  /** Milliseconds that a run takes longer, by device. */
  readonly delay?: Readonly<Record<string, number>>;
  /** The run on webgpu that fails, counted from 1 in each thread. */
  readonly failAt?: number;
  /** Whether all later runs fail, too. */
  readonly lost?: boolean;
  /** What sessions on webgpu refuse, except in the program's first thread. */
  readonly refused?: "open" | "run";
}

export const fakeWebgpu = (fake: FakeWebgpu): Record<string, string> => ({
  NODE_OPTIONS: `--require ${fileURLToPath(new URL("./fake-webgpu.cjs", import.meta.url))}`,
  FAKE_WEBGPU: JSON.stringify(fake),
});
