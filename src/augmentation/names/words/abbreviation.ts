/** Usual abbreviations of words in names and back, "&" for "and": University, Univ.; Saint Louis, St. Louis. */
import { likeCaseOf } from "../../../pearl/augmentation/letter-case.js";
import { type List, oneReplaced } from "../../../pearl/augmentation/rule.js";

/** Words and their short forms, the usual one first, with points as in American English. */
const shortForms = `
  and:&,n,'n' academy:acad. administration:admin. agency:agcy. agriculture:agric. aircraft:acft.
  american:amer.,am. apartment:apt. associates:assoc. association:assoc.,assn.,ass'n assistant:asst.
  australia:aus. avenue:ave,ave.,av. baptist:bapt. bishop:bp. board:bd. boulevard:blvd,blvd. britain:brit.
  british:brit. brothers:bros,bros. brigadier:brig. broadcasting:bcstg. building:bldg,bldg. bulletin:bull.
  bureau:bur. california:calif.,ca canada:can. canadian:cdn. captain:capt. cathedral:cath. catholic:cath.
  cemetery:cem. central:cent.,ctrl center:ctr,ctr.,cntr centre:ctr,ctr. chemical:chem. chemistry:chem.
  championship:champ. championships:champs church:ch. college:coll. colonel:col. commander:cmdr.
  commission:comm. committee:comm.,cttee communications:comms community:comm. company:co.,co
  conference:conf. congress:cong. congregational:cong. construction:constr. cooperative:co-op
  corporation:corp.,corp council:cncl. county:co.,cnty court:ct. creek:ck. crescent:cres.
  department:dept.,dept development:dev. director:dir. distribution:distr. district:dist. division:div.,div
  doctor:dr.,dr dynasty:dyn. east:e.,e eastern:e. economic:econ. economics:econ. edition:ed.
  education:educ.,ed. electric:elec. electronics:elec. elementary:elem. engineering:eng.,engg engineers:eng.
  england:eng. enterprises:ent. episode:ep. equipment:equip. european:eur. exchange:exch. express:exp.
  federal:fed. federation:fed. finance:fin. financial:fin'l,fin. florida:fla.,fl football:ftbl,f.
  foundation:fdn.,found. fort:ft.,ft france:fr. general:gen.,gen german:ger. germany:ger.
  government:govt,gov't governor:gov. great:gt. group:grp hampshire:hants. harbour:hbr. headquarters:hq
  heights:hts. highway:hwy,hwy. historical:hist. history:hist. hospital:hosp.,hosp illinois:ill.,il
  incorporated:inc.,inc independent:ind. indiana:ind. industrial:indus. industries:inds.,ind.
  information:info infantry:inf. institute:inst.,inst institution:inst. insurance:ins.
  international:intl,int'l,int. investment:inv. island:is.,isl. islands:is. journal:j. junction:jct.,jct
  junior:jr.,jr laboratories:labs laboratory:lab,lab. lake:l. language:lang. league:lge library:lib.
  lieutenant:lt.,lt limited:ltd.,ltd literature:lit. london:ldn machine:mach. magazine:mag. major:maj.
  management:mgmt manager:mgr manufacturing:mfg,mfg. manufacturers:mfrs. maritime:mar. market:mkt
  marketing:mktg massachusetts:mass.,ma mathematics:math. medical:med. medicine:med. memorial:mem.,meml.
  metropolitan:metro. michigan:mich. military:mil. minister:min. ministry:min. mister:mr.,mr mount:mt.,mt
  mountain:mtn.,mt. mountains:mts. municipal:munic. museum:mus. music:mus. national:natl,nat'l,nat.
  natural:nat. navigation:nav. netherlands:neth. north:n.,n northern:n. northeast:ne northwest:nw
  number:no.,nr. observatory:obs. office:off. opus:op. orchestra:orch. organization:org. organisation:org.
  pacific:pac. palace:pal. park:pk. parkway:pkwy part:pt. pennsylvania:pa.,penn. pharmaceutical:pharm.
  pharmaceuticals:pharma philharmonic:phil. place:pl. plaza:plz point:pt. political:polit. population:pop.
  port:pt. president:pres. private:pvt. proceedings:proc. production:prod. productions:prods
  professor:prof.,prof province:prov. psychology:psych. public:pub. publications:publ. publishers:publ.
  publishing:publ. railroad:rr,r.r. railway:rly,ry. records:rec. recreation:rec. regiment:regt. region:reg.
  regional:reg. republic:rep. research:res. reserve:res. reverend:rev. review:rev. river:r. road:rd,rd.
  saint:st.,st sainte:ste. school:sch. science:sci. sciences:sci. scientific:sci. scotland:scot.
  secondary:sec. secretary:sec. senator:sen. senior:sr.,sr sergeant:sgt. series:ser. service:svc
  services:svcs,serv. society:soc. solutions:solns south:s.,s southern:s. southeast:se southwest:sw
  springs:spgs square:sq.,sq standard:std station:stn.,sta. statistics:stat. street:st,st.,str.
  superintendent:supt. surgery:surg. symphony:symph. system:sys. systems:sys. technical:tech.
  technologies:tech technology:tech,tech. telecommunications:telecom telephone:tel. television:tv
  territory:terr. texas:tex.,tx theater:thr. theatre:thr. tournament:tourn. township:twp.,twp
  transport:transp. transportation:transp. treasury:treas. united:utd universities:univs.
  university:univ.,univ,u. valley:vly. versus:vs.,v. victoria:vic. village:vlg. virginia:va. volume:vol.,vol
  washington:wash. west:w.,w western:w. wisconsin:wis. yard:yd
`;

const withoutPoint = (word: string): string => (word.endsWith(".") ? word.slice(0, -1) : word);

const shortByLong = new Map<string, readonly string[]>();
const longsByShort = new Map<string, string[]>();
/** Short forms that are also written without a point. */
const pointless = new Set<string>();

for (const line of shortForms.trim().split(/\s+/)) {
  const [long, list] = line.split(":");
  const forms = list.split(",");
  shortByLong.set(long, forms);
  for (const form of forms) if (!form.endsWith(".")) pointless.add(form);
  for (const form of new Set(forms.map(withoutPoint)))
    longsByShort.set(form, [...(longsByShort.get(form) ?? []), long]);
}

/** Abbreviates one word, or spells out one abbreviation that stands for a single word. */
export const abbreviate: List = (phrase) => {
  const words = phrase.split(" ");
  return oneReplaced(words, (word, index) => {
    if (!word.endsWith(",")) return formsOf(word, index, words.length);
    return formsOf(word.slice(0, -1), index, words.length).map((form) => `${form},`);
  });
};

/** Short or long forms of a word, in its letter case. "St." is Saint before a name and Street at its end. */
function formsOf(word: string, index: number, count: number): readonly string[] {
  return otherForms(word.toLowerCase(), index, count).map((form) => likeCaseOf(word, form));
}

function otherForms(lower: string, index: number, count: number): readonly string[] {
  if (count === 1) return [];
  const short = shortByLong.get(lower);
  if (short !== undefined) return short;
  if (lower === "&") return index > 0 && index < count - 1 ? ["and"] : [];
  const bare = withoutPoint(lower);
  if (bare === "st") return [index === count - 1 ? "street" : "saint"];
  // Without its point, "can" or "mass" is a word, two letters are likely a code ("CA") and one is an initial.
  if (bare === lower ? lower.length < 3 || !pointless.has(lower) : bare.length < 2) return [];
  const longs = longsByShort.get(bare) ?? [];
  return longs.length === 1 ? longs : [];
}
