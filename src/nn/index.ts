/** The nn room: layers, encoders and losses written as graphs. */

export * from "./attention.js";
export * from "./initialise.js";
export * from "./layers.js";
export * from "./losses/index.js";
export * from "./lstm.js";
export * from "./net.js";
export * from "./pooling.js";
