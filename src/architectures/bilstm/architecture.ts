/** A character encoder that reads a word in both directions. */
import { characterArchitecture } from "../characters/architecture.js";

export const bilstm = characterArchitecture("bilstm", async () => (await import("./bilstm.js")).bilstm);
