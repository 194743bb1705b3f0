/** In a browser a session is made from bytes. */
import { readBytes } from "../../files/disk.browser.js";
import { createOrtSession, type OrtSession } from "../../runtime/ort-session.js";
import type { OpenRequest } from "../encode-protocol.js";

export interface GraphSession extends OrtSession {
  pin?(opening: Int32Array): Promise<void>;
}

export async function openGraph({ folder, device, threads, graph }: OpenRequest): Promise<GraphSession> {
  const bytes = graph?.bytes ?? (await readBytes(folder.graph));
  return createOrtSession(bytes, { device, threads, label: folder.graph });
}
