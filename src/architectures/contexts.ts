/** How the inputs `context_bag` and `context_near` number the words and marks around a span of text. */

/** Punctuation has numbers from -1 down to minus this; the last one is shared by all marks seen later. */
export const PUNCTUATION = 40;

/** Places of a context: words on either side, and the nearest of them, in order and with punctuation. */
export const CONTEXT = { words: 20, near: 6 } as const;

/** How contexts number what they see: punctuation first, then one number for unknown words, then words. */
export const contextRows = (words: number): number => PUNCTUATION + 1 + words;
