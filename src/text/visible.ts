/** False for a text of white space, control characters and characters that show nothing, such as U+200B and U+00AD. */
export const isVisible = (text: string): boolean => /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text);

/** A text without line breaks, and with single spaces between its words alone. */
export const oneLine = (text: string): string => text.trim().replace(/\s+/g, " ");
