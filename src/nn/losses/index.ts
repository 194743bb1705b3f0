/**
 * Losses, one to a file.
 *
 * | the data                                             | the loss                      |
 * | ---------------------------------------------------- | ----------------------------- |
 * | pairs of phrases that mean the same                  | {@link ntXent}                |
 * | such pairs, each side against the other alone        | {@link contrastBothWays}      |
 * | such pairs, and phrases that look alike but do not   | ntXent with hardNegatives     |
 * | a phrase with one of several classes                 | {@link crossEntropy}          |
 * | a phrase or a pair with yes or no                    | {@link binaryCrossEntropy}    |
 * | pairs with a similarity                              | {@link cosineRegression}      |
 * | a phrase with a number                               | {@link squaredError}          |
 * | anchor, one that is like it, one that is not         | {@link triplet}               |
 */
export * from "./binary-cross-entropy.js";
export * from "./both-ways.js";
export * from "./cross-entropy.js";
export * from "./nt-xent.js";
export * from "./regression.js";
export * from "./triplet.js";
