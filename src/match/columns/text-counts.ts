/** Counts texts of which most occur once: a map of all of them would take gigabytes, and has room for 16 million. */
import { Growing } from "./growing.js";
import { TextNumbers, textAt } from "./texts.js";

export class TextCounts {
  readonly #numbers = new TextNumbers();
  readonly #counts = new Growing(Uint32Array);

  add(text: string): void {
    const number = this.#numbers.numberOf(text, () => this.#counts.push(0));
    this.#counts.numbers[number]++;
  }

  /** The texts that occur at least so often, and how often. */
  frequent(least: number): Map<string, number> {
    const found = new Map<string, number>();
    const texts = this.#numbers.texts();
    this.#counts.added().forEach((count, number) => {
      if (count >= least) found.set(textAt(texts, number), count);
    });
    return found;
  }
}
