/** placeholder until merged */
import type { explainPair } from "./column-report.js";
export function pairSentence({ columns }: ReturnType<typeof explainPair>, probability: number): string {
  return `${columns
    .filter((c) => c.left !== undefined)
    .map(
      (c) =>
        `${c.name}: "${c.left}" ${c.left === c.right ? "=" : "≈"} "${c.right}" (${c.logOdds.toFixed(1)})`,
    )
    .join("; ")} → ${probability.toFixed(2)}`;
}
