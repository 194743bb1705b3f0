/** Character encoders as graphs. */
export * from "./bilstm.js";
export * from "./encoder.js";
export * from "./inputs.js";
export * from "./love.js";
export * from "./units.js";
