/** A spill that counts what goes to disk. */
import { SpilledRuns } from "../../src/match/run/spill.js";

export function countedSpill(folder: string, most: number) {
  const runs = new SpilledRuns(folder);
  let spilled = 0;
  const add = runs.add.bind(runs);
  runs.add = (run) => {
    spilled += run.length;
    add(run);
  };
  return { spill: { most, runs }, spilled: () => spilled };
}
