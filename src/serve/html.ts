/** Text in HTML. */

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign]);
