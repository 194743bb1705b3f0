/**
 * Renames titles as people do: parentheses, case, punctuation, years, abbreviations, words left out or added,
 * typos.
 */

const shortForms = [
  ["Saint", "St."],
  ["Mount", "Mt."],
  [" and ", " & "],
  ["University", "Univ."],
  ["International", "Int'l"],
  ["National", "Nat'l"],
  ["Company", "Co."],
  ["Association", "Assn."],
  ["Street", "St"],
  ["versus", "v."],
  ["First", "1st"],
  ["Second", "2nd"],
  ["Third", "3rd"],
  ["Football Club", "FC"],
  ["United States", "US"],
  ["United Kingdom", "UK"],
  ["Championship", "Championships"],
  ["Television", "TV"],
];
const spellings = "ph-f k-c c-k y-i i-y os-us us-os ei-ai w-v v-w th-t h- ee-i ou-u oe-o ae-e".split(" ");
const roman = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"];
const year = /\b(1[5-9]\d\d|20\d\d)\b/;

/** Returns a function that renames a title of a table, or returns undefined if no rule changes it. */
export function renamer(titles, random) {
  const context = { titles, random, common: commonWords(titles), asides: asidesOf(titles) };
  context.pick = (list) => list[Math.floor(random() * list.length)];
  const rules = [...asideRules(context), ...formRules(context), ...yearRules(context), ...wordRules(context)];
  return (title) => {
    for (let attempt = 0; attempt < 20; attempt++) {
      let renamed = title;
      const changes = 1 + Math.floor(random() * random() * 4);
      for (let change = 0; change < changes; change++) renamed = context.pick(rules)(renamed);
      renamed = renamed.replace(/\s+/g, " ").trim();
      if (renamed !== title && renamed.length > 1) return renamed;
    }
    return undefined;
  };
}

/** Words that occur in many titles, by falling frequency. */
function commonWords(titles) {
  const counts = new Map();
  for (const title of titles)
    for (const word of new Set(title.split(" "))) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .filter(([word, count]) => count >= Math.max(4, titles.length * 0.003) && /^\p{L}{2,}/u.test(word))
    .sort((a, b) => b[1] - a[1])
    .slice(0, 60)
    .map(([word]) => word);
}

const asidesOf = (titles) => titles.flatMap((title) => /\(([^)]*)\)$/.exec(title)?.[1] ?? []);

function asideRules({ titles, asides, random, pick }) {
  const changed = (aside) => {
    const kind = aside.split(" ").at(-1);
    const draw = random();
    if (draw < 0.4) return `(${kind})`;
    if (draw >= 0.7) return `(${pick(asides)})`;
    return `(${pick(titles).split(" ").slice(0, 2).join(" ").replace(/[()]/g, "")} ${kind})`;
  };
  return [
    (title) => title.replace(/ \([^)]*\)$/, ""),
    (title) => (title.includes("(") || asides.length === 0 ? title : `${title} (${pick(asides)})`),
    (title) => (asides.length === 0 ? title : title.replace(/\(([^)]*)\)$/, (_, aside) => changed(aside))),
    (title) =>
      title.includes("(") ? title.replace(/ \(([^)]*)\)$/, ", $1") : title.replace(/, ([^,]*)$/, " ($1)"),
  ];
}

function formRules({ random, pick }) {
  return [
    (title) => title.replace(/ (\p{Lu})/gu, (_, letter) => ` ${letter.toLowerCase()}`),
    (title) => title.replace(/ (\p{Ll})/gu, (_, letter) => ` ${letter.toUpperCase()}`),
    (title) => {
      const draw = random();
      if (draw < 0.3) return title.replace(/[.']/g, "");
      if (draw < 0.6) return title.replace(/-/g, " ");
      return draw < 0.8 ? title.replace(/ (?=\p{L})/u, "-") : title.replace(/,/g, "");
    },
    (title) => {
      const form = shortForms.find(([long, short]) => title.includes(long) || title.includes(short));
      if (form === undefined) return title;
      const [long, short] = form;
      return title.includes(long) ? title.replace(long, short) : title.replace(short, long);
    },
    (title) => {
      const place = 1 + Math.floor(random() * (title.length - 2));
      if (!/\p{L}/u.test(title[place] ?? "")) return title;
      const letter = String.fromCharCode(97 + Math.floor(random() * 26));
      const draw = random();
      return (
        title.slice(0, place) + (draw < 0.33 ? "" : letter) + title.slice(draw < 0.66 ? place + 1 : place)
      );
    },
    (title) => {
      for (let attempt = 0; attempt < 6; attempt++) {
        const [from, to] = pick(spellings).split("-");
        const place = title.indexOf(from, 1);
        if (place > 0) return title.slice(0, place) + to + title.slice(place + from.length);
      }
      return title;
    },
  ];
}

function yearRules({ random }) {
  return [
    (title) => {
      const found = year.exec(title)?.[0];
      if (found === undefined) return title;
      const rest = title.replace(found, "").replace(/\(\s*\)/, "");
      const draw = random();
      return draw < 0.4 ? `${found} ${rest}` : draw < 0.7 ? `${rest} (${found})` : `${rest} ${found}`;
    },
    (title) => (random() < 0.3 ? title.replace(/\(?\b(1[5-9]\d\d|20\d\d)\b\)?/, "") : title),
    (title) =>
      title
        .replace(/\b(\d|10)\b/, (digits) => roman[Number(digits) - 1] ?? digits)
        .replace(/\b(II|III|IV|VI|VII|VIII|IX)\b/, (numeral) => String(roman.indexOf(numeral) + 1)),
  ];
}

function wordRules({ titles, common, random, pick }) {
  const anyWord = () => pick(pick(titles).split(" "));
  const places = (words, isWanted) => [...words.keys()].filter((place) => isWanted(words[place]));
  const isPlain = (word) => !/\d/.test(word);
  /** A rule that edits a word of titles with at least three words. */
  const change = (isWanted, edit) => (title) => {
    const words = title.split(" ");
    const wanted = places(words, isWanted);
    if (words.length < 3 || wanted.length === 0) return title;
    edit(words, pick(wanted));
    return words.join(" ");
  };
  const insert = (word) => (title) => {
    const words = title.split(" ");
    const added = word();
    if (added === undefined || !isPlain(added)) return title;
    words.splice(Math.floor(random() * (words.length + 1)), 0, added);
    return words.join(" ");
  };
  return [
    change(
      (word) => common.includes(word),
      (words, place) => words.splice(place, 1),
    ),
    change(isPlain, (words, place) => words.splice(place, 1)),
    change(
      (word) => common.includes(word),
      (words, place) => words.splice(place, 1, pick(common)),
    ),
    change(isPlain, (words, place) => words.splice(place, 1, anyWord())),
    insert(() => pick(common)),
    insert(anyWord),
    (title) => (title.startsWith("The ") ? title.slice(4) : `The ${title}`),
    change(
      () => true,
      (words, place) => words.push(...words.splice(0, place)),
    ),
    (title) => title.replace(/^(.+) of (\S+)$/, "$2 $1"),
    (title) => {
      const words = title.split(" ");
      if (words.length < 2 || !/^\p{Lu}\p{Ll}+$/u.test(words[0])) return title;
      return [`${words[0][0]}.`, ...words.slice(1)].join(" ");
    },
    (title) => {
      const words = title.replace(/ \(.*/, "").split(" ");
      if (words.length < 3) return title;
      const count = 2 + Math.floor(random() * Math.min(4, words.length - 1));
      const from = Math.floor(random() * (words.length - count + 1));
      const capitals = words.slice(from, from + count).filter((word) => /^\p{Lu}/u.test(word));
      if (capitals.length < 2) return title;
      const initials = capitals.map((word) => word[0]).join("");
      return [...words.slice(0, from), initials, ...words.slice(from + count)].join(" ");
    },
  ];
}
