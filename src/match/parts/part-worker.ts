/** The worker that does parts of the work on rows or pairs: it receives the settings once. */
import { serve } from "../../runtime/worker-server.js";
import { openWork, type Part, type Result, type Settings, type WorkKind } from "./works.js";

let work: (part: Part<WorkKind>) => Result<WorkKind>;

serve({
  async open({ kind, settings }: { kind: WorkKind; settings: Settings<WorkKind> }) {
    work = openWork(kind, settings);
    return { result: undefined };
  },
  async part(part: Part<WorkKind>) {
    const result = work(part);
    return { result, transfer: Object.values(result).map(({ buffer }) => buffer as ArrayBuffer) };
  },
});
