/** The analysers behind the TF-IDF baselines: character n-grams inside words ("char_wb") and plain words, as scikit-learn cuts them. */

/** Lengths of the n-grams, both ends included, in code points. */
export interface CharNgramOptions {
  /** Shortest n-gram. Default 2. */
  readonly min?: number;
  /** Longest n-gram. Default 4. */
  readonly max?: number;
}

// Python's notion of white space (str.split), which differs from JavaScript's \s: it has the separators
// 0x1c-0x1f and 0x85, and lacks the byte order mark.
// biome-ignore lint/suspicious/noControlCharactersInRegex: four of Python's white spaces are control characters
const whiteSpace = /[\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;

// Python's \w without marks: letters, every kind of number, the underscore.
const wordOfTwo = /[\p{L}\p{N}_]{2,}/gu;

/** The white-space separated words of a lower-cased text. */
export function splitWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(whiteSpace)
    .filter((word) => word !== "");
}

/**
 * Character n-grams inside word boundaries: the text is lower-cased and split at white space, each word gets a
 * space on either side, and a word no longer than n gives itself once and no longer n-grams.
 * Equal, order included, to scikit-learn's `TfidfVectorizer(analyzer="char_wb", ngram_range=(min, max))`.
 */
export function charWbNgrams(text: string, options: CharNgramOptions = {}): string[] {
  const { min = 2, max = 4 } = options;
  const grams: string[] = [];
  for (const word of splitWords(text)) {
    const padded = ` ${word} `;
    if (isBasicPlane(padded)) cutUnits(padded, min, max, grams);
    else cutPoints([...padded], min, max, grams);
  }
  return grams;
}

/** True where every character is one UTF-16 unit, so that slices by index are slices by character. */
function isBasicPlane(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdfff) return false;
  }
  return true;
}

function cutUnits(word: string, min: number, max: number, grams: string[]): void {
  for (let length = min; length <= max; length++) {
    if (length >= word.length) {
      grams.push(word); // a short word counts once
      return;
    }
    for (let start = 0; start + length <= word.length; start++) grams.push(word.slice(start, start + length));
  }
}

function cutPoints(word: readonly string[], min: number, max: number, grams: string[]): void {
  for (let length = min; length <= max; length++) {
    if (length >= word.length) {
      grams.push(word.join(""));
      return;
    }
    for (let start = 0; start + length <= word.length; start++) {
      grams.push(word.slice(start, start + length).join(""));
    }
  }
}

/** Lower-cased words of two or more letters, digits or underscores: scikit-learn's default `analyzer="word"`. */
export function wordTokens(text: string): string[] {
  return text.toLowerCase().match(wordOfTwo) ?? [];
}
