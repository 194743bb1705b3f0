/** LOVE: a character encoder that attends over the characters and pieces of a word. */
import { characterArchitecture } from "../characters/architecture.js";

export const love = characterArchitecture("love", async () => (await import("./love.js")).love);
