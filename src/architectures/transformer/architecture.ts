/** Transformers from a hub: phrases as subword tokens. */
import type { Architecture } from "../architecture.js";
import { families, poolingOf, staticFamily, tokenLimit } from "./published.js";
import { type TokensFeature, tokens } from "./reading.js";

export const transformer: Architecture<TokensFeature> = {
  ...tokens,
  pooling: poolingOf,
  // what builds graphs is loaded where it is needed
  scratch: async (folder, options) => (await import("./scratch-model.js")).writeScratchModel(folder, options),
  convert: {
    families: [...Object.keys(families), staticFamily],
    async graphOf(published) {
      const { folder, config } = published;
      if (config.model_type === staticFamily) return (await import("./model2vec.js")).staticGraph(published);
      const { checkBuildable, withDense } = await import("./dense.js");
      await checkBuildable(folder);
      const pooling = await poolingOf(folder);
      const { graphOf } = await import("./from-weights.js");
      return withDense(await graphOf(published), folder, pooling);
    },
    weightsOf: async (folder, options) =>
      folder.config.model_type === staticFamily
        ? (await import("./model2vec.js")).staticWeights(folder, options)
        : (await import("./to-weights.js")).weightsOf(folder, options),
  },
};

/** What models of other makers read, which have no section `pearl` in config.json. */
export const hubFeature = async (path: string, config: object): Promise<TokensFeature> => ({
  kind: "tokens",
  maximumLength: await tokenLimit(path, config),
});
