/** The word encoder as a graph. */
export * from "./encoder.js";
export * from "./inputs.js";
export * from "./sizes.js";
