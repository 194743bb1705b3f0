/** The analysers of the TF-IDF baselines: character n-grams within words ("char_wb") and words, as in scikit-learn. */

// White space as in Python (str.split), which differs from JavaScript's \s: it includes the separators 0x1c-0x1f and
// 0x85, but not the byte order mark.
// biome-ignore lint/suspicious/noControlCharactersInRegex: four of Python's white spaces are control characters
const whiteSpace = /[\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;

// Python's \w without marks: letters, every kind of number, the underscore.
const wordOfTwo = /[\p{L}\p{N}_]{2,}/gu;

/** The words of a text in lower case, split at white space. */
export function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(whiteSpace)
    .filter((word) => word !== "");
}

/**
 * Character n-grams within words: the text is lower-cased and split at white space, each word gets a space on either
 * side, and a word no longer than n is one n-gram, listed once.
 * Equal, order included, to scikit-learn's `TfidfVectorizer(analyzer="char_wb", ngram_range=(min, max))`.
 * @param lengths of the shortest and the longest n-grams in code points
 */
export function charWbNgrams(text: string, { min, max } = { min: 2, max: 4 }): string[] {
  const grams: string[] = [];
  for (const word of splitWords(text)) {
    const padded = ` ${word} `;
    const ends = [0];
    for (const character of padded) ends.push(ends[ends.length - 1] + character.length);
    const count = ends.length - 1;
    for (let length = min; length <= max; length++) {
      if (length >= count) {
        grams.push(padded);
        break;
      }
      for (let start = 0; start + length <= count; start++)
        grams.push(padded.slice(ends[start], ends[start + length]));
    }
  }
  return grams;
}

/** Lower-cased words of two or more letters, digits or underscores: scikit-learn's default `analyzer="word"`. */
export function wordTokens(text: string): string[] {
  return text.toLowerCase().match(wordOfTwo) ?? [];
}
