/** The nn room: layers, encoders and losses written as graphs. */
export * from "./attention.js";
export * from "./bert.js";
export * from "./characters/index.js";
export * from "./initialise.js";
export * from "./layers.js";
export * from "./losses/index.js";
export * from "./lstm.js";
export * from "./net.js";
export * from "./ngram-bag.js";
export * from "./pooling.js";
