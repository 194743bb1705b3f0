/** In a browser a session is made from bytes. */
import type { ModelFolder } from "../../architectures/architecture.js";
import { readBytes } from "../../files/disk.browser.js";

export const graphSource = ({ graph }: ModelFolder): Promise<Uint8Array> => readBytes(graph);

/** A browser takes its models from pearl's own folders. */
export const explainGraph = async (): Promise<void> => {};
