/** Where the scorer's weights lie. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The JSON text, and its name in error messages. */
export function scorerText(): { readonly text: string; readonly place: string } {
  const place = fileURLToPath(new URL("../../models/join-scorer/weights.json", import.meta.url));
  return { text: readFileSync(place, "utf8"), place };
}
