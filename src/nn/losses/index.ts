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
 * | a phrase with a number                               | {@link squaredError}          |
 */
export * from "./binary-cross-entropy.js";
export * from "./both-ways.js";
export * from "./cross-entropy.js";
export * from "./nt-xent.js";
export * from "./regression.js";
