/** Numbers that are added one after another: a plain array takes up to eight times as much memory. */

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

export class Growing<Kind extends Numbers> {
  /** Those added, and room for others. */
  numbers: Kind;
  length = 0;

  constructor(kind: new (length: number) => Kind) {
    this.numbers = new kind(1024);
  }

  push(number: number): void {
    if (this.length === this.numbers.length) this.numbers = enlarged(this.numbers, 2 * this.length);
    this.numbers[this.length++] = number;
  }

  added(): Kind {
    return this.numbers.subarray(0, this.length) as Kind;
  }
}

/** The same numbers with room for others. */
export function enlarged<Kind extends Numbers>(numbers: Kind, length: number): Kind {
  const larger = new (numbers.constructor as new (length: number) => Kind)(length);
  larger.set(numbers);
  return larger;
}
