/**
 * The onnx room: a model as plain data, files in and out, graphs built by name, rewrites.
 * To read it: model.ts (what a graph is), builder.ts (making one), graph.ts and pattern.ts (changing one),
 * then the rewrites; schema.ts, codec.ts and file.ts are only about files.
 */
export * from "./builder.js";
export * from "./graph.js";
export * from "./io/file.js";
export * from "./model.js";
export * from "./observe-shapes.js";
export * from "./rewrite/fuse.js";
export * from "./rewrite/pattern.js";
export * from "./rewrite/upgrade.js";
export * from "./tensor.js";
