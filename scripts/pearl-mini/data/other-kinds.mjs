/** Maps sources of typed phrases to kinds of OTHER: "obo:disease" to disease. */

/**
 * Sources of the four kinds that pearl-mini distinguishes, a subset of those in src/corpus/typing/fine-types.ts.
 */
const sources = {
  disease: [
    ...["obo:disease", "ncbi-disease:", "corpora:medicine/diseases", "corpora:medicine/cancer"],
    ...["corpora:medicine/symptoms", "bionlp13cg:Cancer", "anem:Pathological_formation"],
    ...["wiki:disease", "wiki:disorder", "wiki:cancer", "wiki:condition"],
  ],
  chemical: [
    ...["obo:chemical", "craft:CHEBI", "corpora:medicine/drugs", "corpora:science/toxic_chemicals"],
    ...["bionlp13cg:Simple_chemical", "bionlp13cg:Amino_acid", "bionlp11id:Chemical", "gum:substance"],
    ...["crossner:chemicalcompound", "crossner:chemicalelement", "wiki:compound", "wiki:element", "wiki:ion"],
    // genes and their products count as chemicals: their codes look alike ("IL-2", "MK-801"), and one word
    // may name both
    ...["bc2gm:GENE", "jnlpba:protein", "jnlpba:DNA", "jnlpba:RNA", "craft:GGP", "obo:protein"],
    ...["bionlp11id:Protein", "bionlp11id:Regulon-operon", "bionlp13cg:Gene_or_gene_product"],
    ...["crossner:protein", "crossner:enzyme"],
    ...["wiki:substance", "wiki:drug", "wiki:molecule", "wiki:chemical", "wiki:mineral", "wiki:metal"],
  ],
  anatomy: [
    ...["obo:anatomy", "obo:cell", "anatem:Anatomy", "anem:", "bionlp13cg:Cell", "bionlp13cg:Organ"],
    ...["jnlpba:cell_type", "jnlpba:cell_line", "craft:CL", "wiki:organ", "wiki:cell"],
  ],
  organism: [
    ...["linnaeus:Species", "craft:Taxon", "bionlp11id:Organism", "bionlp13cg:Organism", "corpora:animals/"],
    ...["corpora:plants/", "wiki:species", "wiki:genus", "wiki:subspecies", "wiki:breed", "wiki:frog"],
    ...["wiki:bird", "wiki:fish", "wiki:plant", "wiki:dinosaur", "wiki:tree", "wiki:mammal", "wiki:animal"],
    ...["wiki:moth", "wiki:virus", "wiki:snake", "wiki:butterfly", "gum:animal", "gum:plant"],
  ],
};

/** A name that ends in ":" or "/" is a prefix of many sources. */
const kinds = Object.entries(sources).flatMap(([kind, names]) =>
  names.map((name) => ({ kind, name, whole: /[^:/]$/.test(name) })),
);

/** The type, as in src/corpus/typing/fine-types.ts, of an OTHER phrase from a source. @param {string} source */
export function fineType(source) {
  const found = kinds.find(({ name, whole }) => (whole ? source === name : source.startsWith(name)));
  return found === undefined ? "OTHER" : `OTHER/${found.kind}`;
}
