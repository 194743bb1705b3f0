/** In a browser: pearl's models are fastest on the CPU, where ONNX Runtime's WebAssembly build computes. */

const missing = (): string => "in a browser pearl computes on the CPU";

export { missing as missingCuda, missing as missingWebgpu };
