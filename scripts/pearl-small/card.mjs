/** Writes the model card of pearl-small from the records of its build and its scores. */
import { headOf, number, originsTable, reportOf, scoresOf, stagesTable } from "../pearl-mini/finish/card.mjs";

/** Returns README.md of the model. @param facts `reports`: output of `pearl bench --json`, if any */
export function smallCard({ recipe, config, record, reports }) {
  const { name, base, pairs, method } = recipe;
  const own = reports && reportOf(name, reports);
  const trainings = pairs.map(
    ({ pairs: count, options, settings }) =>
      `- ${number(count)} pairs, ${options.steps} steps, averaged with the base at ${settings.averageWithBase}`,
  );
  return `${headOf(recipe, own)}
Phrase embeddings with ${config.pearl.dimension} dimensions and a head for ${config.pearl.types.length} phrase types: ${base}
(Apache-2.0), a transformer, concatenated with the word encoder of pearl-mini, trained with pearl. It works offline.

    pearl encode phrases.csv --model ${name}

## Scores

${scoresOf(name, own)}

## Training

scripts/pearl-small/recipe.yaml holds every setting, and build.json is the record of the build.
\`node scripts/build-${name}.mjs --work WORK --base FOLDER\` builds the model again from the base.

The trainings on pairs, each from the base:

${trainings.join("\n")}

1. Their weights are averaged.
2. The word encoder of pearl-mini is put beside the transformer, each with half of a cosine (Chen, Varoquaux and Suchanek,
   2024, put LOVE there). The head of types learns for ${method.steps} steps; at its learning rate the encoder hardly moves.

Tables are stored in four bits with a scale for each row, products as int8 with a scale for each column. All is computed in
float32: beyond rounding, vectors do not depend on the batch or the processor.

${stagesTable(record.stages)}

## Data and licences

The tables are those of pearl-mini, and so are the pairs that are left out: those of the evaluation sets (as text for the half
at hand, as hashes for the other half), the synsets behind Turney's questions, typed mentions of CoNLL-2003 and BC5CDR, titles
of YAGO's dictionary and of AutoFJ's tables, and sources for research only. What the base has read is not known to this
recipe: its authors list its data.

${originsTable(record.tables.kept["synonyms.tsv"])}

## Limits

- The model is for English phrases of up to a dozen words. The transformer reads lower case; the word encoder sees capitals.
- The data has the gaps and biases of Wikipedia and of web lists.
`;
}
