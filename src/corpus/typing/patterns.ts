/** Entity types that show in how a phrase is written: amounts, times, laws, and names with a word that shows their type. */
import type { EntityType } from "../../pearl/phrase-types.js";

const months =
  "(?:jan(?:uary|\\.)?|feb(?:ruary|\\.)?|mar(?:ch|\\.)|apr(?:il|\\.)?|may|june?|july?|aug(?:ust|\\.)?|" +
  "sept?(?:ember|\\.)?|oct(?:ober|\\.)?|nov(?:ember|\\.)?|dec(?:ember|\\.)?)";
const weekdays = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?";
const numberWord =
  "(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|" +
  "seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|" +
  "billion|trillion|dozen|half|hundreds|thousands|millions|billions|dozens)";
const scale = "(?:hundred|thousand|million|billion|trillion|dozen|[kmb]|bn|mn)";
const digits = "[+-]?\\d[\\d.,]*";
const amount = `(?:(?:${digits}|${numberWord}(?:[- ](?:and )?${numberWord})*)(?: ?${scale})?|an? ${scale})`;
const vague =
  "(?:(?:about|nearly|almost|approximately|roughly|around|over|under|more than|less than|fewer than|at least|" +
  "at most|up to|some|only|just|another|an estimated|the|every|last|next|past|first|these|those) )*";
const range = `${amount}(?: ?(?:to|or|and|-|–) ?${amount})?`;
const currency = "(?:US|C|A|HK|NZ|S|R)?[$£€¥₹]";
const currencies =
  "(?:us |u\\.s\\. |canadian |australian |hong kong )?(?:dollars?|cents?|euros?|pounds?(?: sterling)?|pence|yen|yuan|" +
  "rupees?|francs?|marks?|pesos?|rubles?|roubles?|won|kron(?:a|or|er)|reais|usd|eur|gbp|lire)";
const ordinalWord =
  "(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ])?(?:first|second|third|fourth|fifth|sixth|" +
  "seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|" +
  "eighteenth|nineteenth|twentieth|thirtieth|hundredth)";
const day = "\\d{1,2}(?:st|nd|rd|th)?";
const year = "(?:1[0-9]|20)\\d\\d";
const units =
  "(?:(?:square|cubic) )?(?:(?:kilo|centi|milli|nano|micro)?(?:met(?:er|re)s?|grams?|grammes?|lit(?:er|re)s?|watts?)|" +
  "[kcmnµ]?m[²³23]?|[kmµ]?g|k?cal|[kM]?[wW]h?|miles?|feet|foot|ft|inch(?:es)?|yards?|acres?|hectares?|ha|tons?|" +
  "tonnes?|ounces?|oz|lbs?|gallons?|barrels?|bushels?|degrees?|°[CF]?|km/h|mph|m/s|knots?|[gmk]?hz|" +
  "[kmgt]?bytes?|[KMGT]B|bits?|volts?|sq ?(?:km|mi|ft|m)|km2|kelvins?|light[- ]years?)";
const dateUnits =
  "(?:days?|weeks?|months?|years?|decades?|centur(?:y|ies)|quarters?|seasons?|weekends?|fortnight|millenni(?:um|a))";
const relative =
  "(?:the |this |that |last |next |past |previous |following |early |late |mid-?|each |every |same |end of )*";

const whole =
  (flags: string) =>
  (type: EntityType, ...sources: string[]) =>
    sources.map((source) => ({ type, pattern: new RegExp(`^(?:${source})$`, flags) }));
const anyCase = whole("iu");
const exactCase = whole("u");

/** Tried in this order, as are those of names. */
const amounts = [
  ...anyCase("PERCENT", `${vague}${range} ?(?:%|percent|per ?cent|percentage points?)`),
  ...anyCase("MONEY", `${vague}${currency} ?${range}(?: ?${scale})?`, `${vague}${range} ?${currencies}`),
  ...anyCase(
    "TIME",
    "\\d{1,2}[:.]\\d{2}(?::\\d{2})?(?: ?[ap]\\.?m\\.?)?(?: (?:local time|[A-Z]{3,4}))?|\\d{1,2} ?[ap]\\.?m\\.?",
    `(?:${vague}${range}|an?|several|a few|half an) (?:hours?|minutes?|seconds?|milliseconds?)`,
    "(?:(?:this|that|the|last|tomorrow|yesterday|early|late|next|same) )+(?:morning|afternoon|evening|night)|noon|midnight|tonight",
  ),
  ...anyCase(
    "DATE",
    `(?:early |late |mid-?)?(?:${day} )?${months}(?: ${day})?(?: ?,? ?${year})?(?: BC| AD)?`,
    `(?:the )?${day} (?:of )?${months}(?: ?,? ?${year})?`,
    `${months} ${day} ?(?:-|–|to) ?${day}(?: ?, ?${year})?`,
    `(?:${weekdays})(?:,? ${months} ${day}(?: ?, ?${year})?)?`,
    `${relative}(?:${year}|${year} ?[-–/] ?\\d{2,4}|(?:${year.replace("\\d\\d", "\\d0")}|\\d0|')?s?\\d0s|(?:${weekdays})|${months})`,
    `(?:the |early |late |mid-?)*${year.slice(0, -2)}0'?s`,
    "\\d{1,2}[/.-]\\d{1,2}[/.-]\\d{2,4}|\\d{4}-\\d{2}-\\d{2}",
    `(?!(?:${dateUnits})$)(?:${vague}${range}|an?|several|a few|many|recent|${relative}(?:few|couple of|${ordinalWord}|\\d+(?:st|nd|rd|th))?) ?${dateUnits}(?: ago| earlier| later| old)?`,
    `${relative}(?:today|yesterday|tomorrow|spring|summer|autumn|winter|fiscal ${year}|fall ${year}|daily|weekly|monthly|annual(?:ly)?)`,
    `(?:the )?(?:\\d+(?:st|nd|rd|th)|${ordinalWord}) centur(?:y|ies)(?: BC| AD)?|c(?:a|irca)?\\.? ${year}|\\d+ (?:BC|AD|BCE|CE)`,
    `(?:spring|summer|autumn|fall|winter)(?: of)? ${year}|${year} (?:season|term)`,
  ),
  ...anyCase("QUANTITY", `${vague}${range}[ -]?${units}(?: (?:per|an?) \\w+)?`),
  ...anyCase("ORDINAL", `(?:the )?(?:${ordinalWord}|\\d+(?:st|nd|rd|th))`),
  ...anyCase("CARDINAL", `${vague}${range}(?: of)?`),
];

const capital = "\\p{Lu}[\\p{L}\\p{M}\\d'’.&-]*";
/** A name of capitalised words, with small words between. */
const name = `(?:${capital}(?:,? (?:of|the|and|for|in|on|de|la|du|von|van|der|&) )?(?: ?${capital})*)`;
const ending = (words: string): string => `(?:[Tt]he )?(?:.*\\p{Lu}.* )(?:${words})`;
const opening = (words: string): string =>
  `(?:[Tt]he )?(?:${words}) (?:(?:of|for|on|the|de|du|da|di|do|des|del|della|von|zur?|für) )*${name}.*`;

const names = [
  ...exactCase("LANGUAGE", "(?:[Tt]he )?\\p{Lu}\\p{Ll}+(?:[- ]\\p{L}+)? [Ll]anguage"),
  ...exactCase(
    "WORK_OF_ART",
    ".* \\((?:[^)]* )?(?:film|movie|album|song|novel|book|single|TV series|series|play|opera|painting|poem|video game|EP|musical|magazine|manga|soundtrack)\\)",
  ),
  ...exactCase("EVENT", ".* \\((?:[^)]* )?(?:election|event|tournament|festival)\\)"),
  ...exactCase(
    "LAW",
    ending("Act|Treaty|Constitution|Amendment|Convention|Statute|Accords?|Protocol|Code|Ordinance|Bill") +
      "(?: of \\d{4}| \\d{4}|,? \\d{4})?",
    ".*\\p{Lu}.* v(?:s)?\\.? .*\\p{Lu}.*|(?:[Tt]he )?(?:Treaty|Convention|Constitution|Statute|Bill) (?:of|on) .*|(?:Article|Section|Title|Chapter) [\\dIVX]+.*",
  ),
  ...exactCase(
    "ORG",
    ".*[ ,](?:Inc|Corp|Corporation|Ltd|Limited|LLC|L\\.L\\.C|LLP|L\\.P|LP|GmbH|AG|S\\.?A|N\\.?V|B\\.?V|PLC|plc|Co|Cos|Company|Companies|KG|SE|S\\.p\\.A|SpA|Oy|AB|A/S|AS|ASA|Pty|Bhd|K\\.K|Holdings?|Group|Partners|Bros|& Sons|Industries|Enterprises|Bancorp|Trust|Fund)\\.?",
  ),
  ...exactCase(
    "EVENT",
    `${ending(
      "War|Wars|Olympics|Games|Championships?|Cup|Festival|Tournament|Elections?|Revolution|Grand Prix|Massacre|Earthquake|Open|Bowl|Rebellion|Uprising|Crusade|Expo|Marathon|Masters|Playoffs|Offensive|Bombing|Riots?|Conference|Summit|Riot|Crisis|World Series|Derby|Campaign|Siege",
    )}(?: [IVX]+)?`,
    "(?:[Tt]he )?(?:Battle|Siege|Battles|Invasion|Fall|Bombing|Second Battle|First Battle|Attack) (?:of|on) .*|(?:Hurricane|Typhoon|Operation|Cyclone|Tropical Storm) \\p{Lu}.*|\\d{4} .*(?:election|season|championships?|Cup|Olympics|Open|tournament|earthquake|attacks?|bombings?|riots|Tour|Games|Festival|draft|Prix)s?.*",
  ),
  ...exactCase(
    "FAC",
    ending(
      "Airport|Airfield|Aerodrome|Air Base|Air Force Base|Station|Bridge|Stadium|Street|Avenue|Road|Highway|Freeway|Tower|Towers|Building|Castle|Palace|Cathedral|Church|Abbey|Arena|Theatre|Theater|Hotel|Dam|Tunnel|Square|Prison|Plaza|Terminal|Railway|Line|Mall|Mosque|Temple|Basilica|Chapel|Lighthouse|Canal|Fort|Monument|Memorial|Cemetery|Speedway|Circuit|Boulevard|Lane|Parkway|Gardens?|Zoo|Heliport|Field|Ground|Gymnasium|Coliseum|Raceway|Racecourse|Seaplane Base|Velodrome|Gate|Pier|Harbou?r|Court|Hall|House|Mansion|Center|Centre|Ballpark",
    ),
    "(?:Fort|Interstate|Highway|Route|U\\.S\\. Route|State Route|Castle|Camp|HM Prison) [\\p{Lu}\\d].*|.* \\((?:building|stadium|station|bridge)\\)",
  ),
  ...exactCase(
    "ORG",
    ending(
      "University|Institute|College|School|Academy|Ministry|Department|Agency|Association|Foundation|Committee|Council|Bank|Party|Union|Club|F\\.?C\\.?|A\\.?F\\.?C\\.?|S\\.?C\\.?|Society|Federation|Commission|Board|Bureau|Authority|Hospital|Army|Navy|Air Force|Airlines?|Airways|Times|Post|Herald|Tribune|Gazette|Journal|News|Press|Records|Orchestra|Library|Museum|Laboratory|Laboratories|Service|Services|Organi[sz]ation|League|Congress|Parliament|Senate|Office|Administration|Police|Team|Regiment|Division|Systems|Technologies|Pharmaceuticals|Pharma|Motors|Media|Network|Studios?|Pictures|Entertainment|Communications|Capital|Insurance|Energy|Electric|Solutions|Software|International|Brigade|Battalion|Squadron|Magazine|United|City F\\.?C\\.?|Rovers|Wanderers|Consortium|Alliance|Initiative|Coalition|Clinic|Cent(?:er|re) for .*",
    ),
    opening(
      "University|Institute|Ministry|Department|Bank|Association|Federation|Society|Council|Academy|College|Bureau|Church|Order|Museum|Universit(?:é|y|à|ät|at|ad|ade)|Universidad(?:e)?|Institut[eo]?|Hochschule|École|Ecole|Hospital|Office|National (?:Institute|Council|Association|Center)",
    ) +
      "|.* (?:University|Institute|College|School|Hospital|Department|Ministry|Agency|Council|Association|Center|Centre) (?:of|for|in|at) .*|FC .*|AC .*",
  ),
  ...exactCase(
    "GPE",
    ending(
      "County|Province|Township|Prefecture|Oblast|Raion|Municipality|Parish|Borough|Governorate|Voivodeship|District|Canton|Emirate|Commune|Kingdom|Republic|City|Empire|State|Shire|Département|Krai",
    ),
    `${opening(
      "City of|Republic of|Kingdom of|State of|County of|Province of|Commonwealth of|Principality of|Municipality of|Town of|Village of|Democratic Republic of(?: the)?|People's Republic of",
    )}|${capital}(?: ${capital})?, (?:${capital}(?: ${capital})?)`,
  ),
  ...exactCase(
    "LOC",
    ending(
      "Mountains?|River|Lake|Ocean|Sea|Islands?|Isles?|Valley|Peninsula|Desert|Bay|Gulf|Cape|Coast|Forest|Peak|Glacier|Hills?|Straits?|Canyon|Falls|Creek|Basin|Plateau|Range|Archipelago|Plains?|Reef|Rivers|Region|Park|Crater|Bight|Ridge|Beach|Point|Pass|Marsh|Swamp|Fjord|Sound|Lagoon|Volcano|Cove|Reservoir|Watershed|Trail|Caves?|Delta|Hemisphere|Nature Reserve|Wilderness",
    ),
    "(?:[Tt]he )?(?:Mount|Mt\\.?|Lake|Cape|Gulf of|Bay of|Isle of|River|Lac|Monte|Strait of|Sea of|Sierra|Rio) \\p{Lu}.*",
  ),
  ...exactCase(
    "PERSON",
    "(?:Mr|Mrs|Ms|Miss|Dr|Sir|Lady|Lord|Prof|Professor|President|King|Queen|Prince|Princess|Pope|Saint|St|Sen|Senator|Rep|Gen|General|Capt|Captain|Col|Colonel|Lt|Major|Sgt|Judge|Justice|Rev|Reverend|Father|Sister|Baron|Count|Duke|Earl|Emperor|Sultan|Chancellor|Gov|Governor|Archbishop|Bishop|Cardinal|Rabbi|Imam|Sheikh|Aunt|Uncle|Madame|Monsieur|Don|Dame|Mayor|Minister|Prime Minister|Secretary|Senator)\\.? " +
      `${capital}(?: (?:of |de |van |von |the )?${capital}){0,3}`,
    "(?:\\p{Lu}\\.[ -]?){1,3} ?\\p{Lu}\\p{Ll}[\\p{L}'’-]+(?: \\p{Lu}[\\p{L}'’-]+)?|\\p{Lu}\\p{Ll}+ (?:\\p{Lu}\\. ?){1,2} ?\\p{Lu}[\\p{L}'’-]+(?:,? (?:Jr|Sr|II|III|IV)\\.?)?|.*,? (?:Jr|Sr)\\.?",
  ),
];

/** The type of an amount, a date or the like, vague words about it included. */
export function typeOfAmount(phrase: string): EntityType | undefined {
  if (!/\d|[a-z]/i.test(phrase)) return undefined;
  return amounts.find(({ pattern }) => pattern.test(phrase))?.type;
}

/** The type of a name with a word that shows it ("... University", "Mr. ..."). */
export function typeOfNamePattern(phrase: string): EntityType | undefined {
  if (!/\p{Lu}/u.test(phrase)) return undefined;
  return names.find(({ pattern }) => pattern.test(phrase))?.type;
}
