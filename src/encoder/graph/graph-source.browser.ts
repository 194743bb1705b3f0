/** In a browser a session is made from bytes. */
import { readBytes } from "../../files/disk.browser.js";
import { createOrtSession } from "../../runtime/ort-session.js";
import type { GraphSession, OpenRequest } from "../encode-protocol.js";

export const openGraph = async ({ folder, device, threads, graph }: OpenRequest): Promise<GraphSession> =>
  createOrtSession(graph?.bytes ?? (await readBytes(folder.graph)), { device, threads, label: folder.graph });
