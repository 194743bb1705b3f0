/** The worker that does ranges of the work on rows or pairs: it receives the settings once. */
import { serve } from "../../runtime/worker-server.js";
import { importComparisons } from "../evidence/own-comparison.js";
import { type Items, openWork, type Result, type Settings, type WorkKind } from "./partition.js";

let work: (items: Items<WorkKind>) => Result<WorkKind>;

serve({
  async open({ kind, settings }: { kind: WorkKind; settings: Settings<WorkKind> }) {
    if ("fields" in settings) await importComparisons(settings.fields);
    work = openWork(kind, settings);
    return { result: undefined };
  },
  async work(items: Items<WorkKind>) {
    const result = work(items);
    return { result, transfer: Object.values(result).map(({ buffer }) => buffer as ArrayBuffer) };
  },
});
