/** What `require("pearl-embeddings")` gets: the package is made of ES modules, so it says how to load it. */
throw new Error(
  'pearl-embeddings is an ES module: use `const { PhraseEncoder } = await import("pearl-embeddings")` instead of require().',
);
