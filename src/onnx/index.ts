/** The onnx room: a model as plain data, files in and out, graphs built by name, rewrites. */
export * from "./builder.js";
export * from "./file.js";
export * from "./fuse.js";
export * from "./graph.js";
export * from "./inference.js";
export * from "./model.js";
export * from "./observe-shapes.js";
export * from "./pattern.js";
export * from "./quantize.js";
export * from "./tensor.js";
export * from "./upgrade.js";
