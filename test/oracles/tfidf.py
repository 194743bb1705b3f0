"""Expected numbers for src/text/char-ngrams.ts and src/benchmark/baselines/tfidf.ts, from scikit-learn's TfidfVectorizer.

Run: python3 test/oracles/tfidf.py > test/oracles/tfidf.json
"""

import json
import sys

import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer

PHRASES = [
    "The New York Times",
    "new york times",
    "  two  blanks\tand a tab\n",
    "a",
    "ab c",
    "",
    "   ",
    "U.S.A. 2012-2013",
    "naïve CAFÉ",
    "cafe\u0301 (combining)",
    "\u0130stanbul",
    "ΟΔΟΣ Σ",
    "Straße STRASSE",
    "東京 タワー",
    "emoji 😀😀 x😀",
    "𝔸𝔹ℂ",
    "under_score x_1",
    "½ ² Ⅷ ٣",
    "non\u00a0breaking\u2003wide",
    "file\u001cseparator next\u0085line",
    "byte\ufefforder",
    "zero\u200bwidth",
    "tab\tonly\x0bvt\x0cff",
    "banana banana banana",
    "हिन्दी भाषा",
    "ﬁligature Ǆ ǅ",
]


def section(vectorizer):
    matrix = vectorizer.fit_transform(PHRASES)
    terms = vectorizer.get_feature_names_out().tolist()
    return {
        "terms": [vectorizer.build_analyzer()(phrase) for phrase in PHRASES],
        "idf": dict(zip(terms, vectorizer.idf_.tolist())),
        "cosines": (matrix @ matrix.T).toarray().round(12).tolist(),
    }


json.dump(
    {
        "scikit-learn": sklearn.__version__,
        "phrases": PHRASES,
        "characters": section(TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), lowercase=True)),
        "words": section(TfidfVectorizer()),
    },
    sys.stdout,
    separators=(",", ":"),
)
print()
