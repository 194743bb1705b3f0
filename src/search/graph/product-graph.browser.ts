/** In a browser the graph of a matrix product is a part of the bundle: what writes ONNX files makes code from text. */

/** In base64; scripts/build-web.mjs writes it here. */
declare const PRODUCT_GRAPH: string;

export const productGraph = (): Uint8Array =>
  Uint8Array.from(atob(PRODUCT_GRAPH), (letter) => letter.charCodeAt(0));
