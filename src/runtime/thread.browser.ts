/** In a browser: threads are web workers, whose scripts lie beside the bundle. */
import type { Movable, Thread, ThreadEvents } from "./thread.js";

/** What the compiler would know from a browser's list of globals. */
interface Port {
  onmessage: (event: { readonly data: never }) => void;
  onerror: (event: { readonly message?: string; preventDefault(): void }) => void;
  postMessage(message: unknown, transfer: readonly Movable[]): void;
}
interface WebWorker extends Port {
  terminate(): void;
}
const browser = globalThis as unknown as Port & {
  readonly Worker: new (script: URL, options: { readonly type: "module" }) => WebWorker;
  readonly navigator: { readonly hardwareConcurrency?: number };
};

export const availableParallelism = (): number => browser.navigator.hardwareConcurrency ?? 1;

const bequests = new Map<string, unknown>();
export const inherited = (key: string): unknown => bequests.get(key);
export const bequeath = (key: string, value: unknown): void => void bequests.set(key, value);

export function startThread(script: string, base: string, { message, end }: ThreadEvents): Thread {
  const worker = new browser.Worker(new URL(script, base), { type: "module" });
  worker.onmessage = ({ data }) => message(data);
  worker.onerror = (event) => {
    event.preventDefault();
    end(new Error(event.message ?? `${new URL(script, base)} does not load`));
  };
  return {
    post: (request, transfer) => worker.postMessage(request, transfer),
    hold: () => {},
    terminate: async () => worker.terminate(),
  };
}

export function listen(hear: (message: never, answer: Pick<Thread, "post">) => void): void {
  const post: Thread["post"] = (message, transfer) => browser.postMessage(message, transfer);
  browser.onmessage = ({ data }) => hear(data, { post });
}

/** Turns of the event loop, by messages: a browser's timers wait 4 ms at least. */
const { port1, port2 } = new MessageChannel();
const turns: (() => void)[] = [];
(port1 as unknown as Port).onmessage = () => turns.shift()?.();
Object.assign(globalThis, {
  setImmediate(next: () => void) {
    turns.push(next);
    port2.postMessage(0);
  },
});
