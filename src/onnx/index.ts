/** The onnx room: a model as plain data, files in and out, graphs built by name, rewrites. */
export * from "./builder.js";
export * from "./file.js";
export * from "./model.js";
export * from "./tensor.js";
