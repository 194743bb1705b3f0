/** Commands that messages tell a user to type. */

/** An argument as a shell reads it: in double quotes where these suffice, which Windows reads too; else as POSIX shells do. */
export function shellWord(text: string): string {
  if (/^[\w./:=@%+,-]+$/.test(text)) return text;
  return /["$`!\\]/.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`;
}
