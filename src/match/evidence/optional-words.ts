/** Words that names have or leave out without another meaning: function words and legal forms, folded. */

/** Articles, prepositions, conjunctions. */
export const functionWords: ReadonlySet<string> = new Set(
  "the a an of and in at on for to by from with de la le les du des el los las del da do di et y e und der die das".split(
    " ",
  ),
);

export const legalForms: ReadonlySet<string> = new Set(
  (
    "inc incorporated ltd limited co company corp corporation llc llp lp plc gmbh ag kg sa sas sarl srl spa nv bv ab " +
    "as oy oyj pty pvt pte"
  ).split(" "),
);
