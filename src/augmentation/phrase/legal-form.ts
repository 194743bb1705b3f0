/**
 * Legal forms of companies are dropped or changed: "Acme, Inc." becomes "Acme", "Acme Inc.", "Acme Incorporated"; "NV
 * Philips" becomes "Philips NV".
 */
import { inWholeCaseOf } from "../../pearl/augmentation/letter-case.js";
import type { List } from "../../pearl/augmentation/rule.js";

/** The spellings of each legal form; the first two are written, the others only recognised. */
const forms = `
  Inc. | Incorporated | Inc; Ltd. | Limited | Ltd;
  Co., Ltd. | Company Limited | Co. Ltd. | Co Ltd | Co. Ltd | Co.,Ltd. | Co. Limited;
  Pty Ltd | Proprietary Limited | Pty. Ltd. | Pty Limited;
  Pvt. Ltd. | Private Limited | Pvt Ltd | Pte Ltd | Pte. Ltd.; Corp. | Corporation | Corp;
  & Co. | and Company | & Company | and Co. | & Co | and Co; Co. | Company | Co;
  LLC | L.L.C. | Limited Liability Company; LLP | L.L.P. | Limited Liability Partnership;
  LP | L.P. | Limited Partnership; PLC | plc | P.L.C. | Public Limited Company | Plc;
  GmbH & Co. KG | GmbH & Co KG | GmbH und Co. KG;
  GmbH | G.m.b.H. | Gesellschaft mit beschränkter Haftung | mbH; AG | Aktiengesellschaft | A.G.;
  KGaA | Kommanditgesellschaft auf Aktien; e.V. | eingetragener Verein | eV;
  S.A. | SA | Société Anonyme | Sociedad Anónima; S.A.S. | SAS; S.à r.l. | SARL | Sàrl | S.A.R.L.;
  S.p.A. | SpA | Società per Azioni; S.r.l. | Srl | S.R.L.; N.V. | NV | Naamloze Vennootschap;
  B.V. | BV | Besloten Vennootschap; AB | Aktiebolag | A.B.; ASA | Allmennaksjeselskap; A/S | Aktieselskab;
  Oyj | Julkinen osakeyhtiö; Oy | Osakeyhtiö; Sp. z o.o. | sp. z o.o.; S.A. de C.V. | SA de CV;
  Bhd | Berhad | Bhd.; Tbk | Tbk.; K.K. | Kabushiki Kaisha | KK
`
  .trim()
  .split(/;\s+/)
  .map((form) => form.split(" | "));

const afterComma = /^(?:Inc|Ltd|LLC|LLP|LP|Co\., Ltd)/;

/** Forms that also come before the name: "NV Philips", "AB Volvo", "PT Astra". */
const atFront = ["NV", "AB", "BV", "SA", "AG", "PT", "OAO", "OOO", "PJSC", "JSC"];

const formOf = new Map(
  forms.flatMap((form) => form.map((spelling) => [spelling.toLowerCase(), form] as const)),
);
const mostWords = 4;
const lastWord = (text: string): string => text.slice(text.lastIndexOf(" ") + 1).toLowerCase();
const lastWords = new Set([...formOf.keys()].map(lastWord));

export const changeLegalForm: List = (phrase, { type }) => {
  if (!phrase.includes(" ") || (type !== undefined && type !== "ORG" && type !== "OTHER")) return [];
  const front = atFront.find((form) => phrase.startsWith(`${form} `));
  if (front !== undefined) {
    const name = phrase.slice(front.length + 1);
    return [name, `${name} ${front}`];
  }
  if (!lastWords.has(lastWord(phrase))) return [];
  const words = phrase.split(" ");
  for (let count = Math.min(mostWords, words.length - 1); count > 0; count--) {
    const spelling = words.slice(-count).join(" ");
    const form = formOf.get(spelling.toLowerCase());
    // Capitals are optional, but a small "co" or "as" is a word.
    if (form !== undefined && (spelling.length > 2 || form.includes(spelling)))
      return [...rewritten(phrase, words.slice(0, -count).join(" ").replace(/,$/, ""), form)];
  }
  return [];
};

function* rewritten(phrase: string, name: string, form: readonly string[]): Generator<string> {
  // What is left of "The Company" or "a Limited" does not name a company.
  if (/^(?:the|a|an|and|of|our|this)$/i.test(name)) return;
  const cased = (text: string): string => inWholeCaseOf(phrase, text);
  // Without its form, "The Hershey Company" is "Hershey".
  yield name.replace(/^the /i, "");
  for (const other of form.slice(0, 2)) yield `${name} ${cased(other)}`;
  if (afterComma.test(form[0])) yield `${name}, ${cased(form[0])}`;
  const bare = form[0].replace(/[.,]/g, "");
  yield `${name} ${cased(bare)}`;
  if (atFront.includes(bare)) yield `${bare} ${name}`;
}
