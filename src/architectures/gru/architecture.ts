/** An encoder that reads the words of a phrase or sentence in their order. */
import { characterArchitecture } from "../characters/architecture.js";

export const gru = characterArchitecture("gru", async () => (await import("./gru.js")).gru);
