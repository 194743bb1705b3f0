/** The thread of worker-pool.test.ts: echoes, waits, fails and dies on request. */
import { ArgumentError } from "../../dist/errors.js";
import { serve } from "../../dist/runtime/worker-server.js";

let name = "";

serve({
  async open(/** @type {string} */ given) {
    if (given === "broken") throw new ArgumentError("cannot open");
    name = given;
    return { result: undefined };
  },
  async echo(/** @type {unknown} */ item) {
    return { result: `${name} ${item}` };
  },
  async wait(/** @type {number} */ milliseconds) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return { result: undefined };
  },
  async fail(/** @type {string} */ message) {
    throw new ArgumentError(message);
  },
  async crash() {
    setImmediate(() => {
      throw new RangeError("outside of any request");
    });
    return new Promise(() => {});
  },
  async exit() {
    return process.exit(3);
  },
});
