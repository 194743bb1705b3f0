/** Commands that messages tell a user to type. */

/** An argument as a POSIX shell reads it. */
export const shellWord = (text: string): string =>
  /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
