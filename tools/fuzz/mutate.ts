/** Mutates valid inputs into unusual ones. */

/** A random integer from 0 up to, and excluding, the given one. */
type FuzzRandom = (below: number) => number;

/** Maximum length of an input, in bytes. */
const longest = 64 * 1024;

/** Tokens that tend to break parsers: brackets, quotes, escapes, repetitions, references, and boundary numbers. */
const words = [
  ..."{}[]()<>\"'`\\/*&!|%@$#?:;,.~^=+- \t\r\n\0",
  ..."\u00e9\u2028\u202e\ufeff\u{1f600}",
  "---\n",
  "${{",
  "}}",
  "<<: *a",
  "&a [*a,*a]",
  "!!binary ",
  "0x",
  "-0",
  "-01",
  "1e999",
  "2147483648",
  "9223372036854775808",
  "18446744073709551616",
  "null",
  "true",
  "__proto__",
  "constructor",
];

/**
 * Creates a deterministic random generator (mulberry32).
 *
 * @param seed Any whole number.
 */
export function randomFrom(seed: number): FuzzRandom {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor(((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 * below);
  };
}

/**
 * Creates an input.
 *
 * @param seeds Valid or formerly failing inputs; at least one.
 * @param random Random generator.
 */
export function mutate(
  seeds: readonly Uint8Array[],
  random: FuzzRandom,
): Uint8Array {
  const any = () => seeds[random(seeds.length)] ?? new Uint8Array();
  let input = any();
  for (let turns = 1 + random(6); turns > 0; turns--) {
    input = change(input, any(), random);
  }
  return input.slice(0, longest);
}

function change(
  input: Uint8Array,
  other: Uint8Array,
  random: FuzzRandom,
): Uint8Array {
  const [from, to] = placesIn(input, random);
  const [before, middle, after] = [
    input.subarray(0, from),
    input.subarray(from, to),
    input.subarray(to),
  ];
  switch (random(8)) {
    case 0:
      return join(before, after);
    case 1:
      return join(before, Uint8Array.of(random(256)), after);
    case 2:
      return join(before, wordBytes(random), input.subarray(from));
    case 3:
      return join(before, wordBytes(random), after);
    case 4: {
      // Nests or repeats a part, deep or wide.
      const times = random(4) === 0 ? random(5_000) : random(20);
      const most = Math.max(
        1,
        Math.floor(longest / Math.max(1, middle.length)),
      );
      const many = Array<Uint8Array>(Math.min(times, most)).fill(middle);
      return join(before, ...many, input.subarray(from));
    }
    case 5: {
      const [start, end] = placesIn(other, random);
      return join(before, other.subarray(start, end), after);
    }
    case 6: {
      const flipped = input.slice();
      if (from < flipped.length) flipped[from]! ^= 1 << random(8);
      return flipped;
    }
    default:
      return join(after, before, middle);
  }
}

function wordBytes(random: FuzzRandom): Uint8Array {
  return new TextEncoder().encode(words[random(words.length)]);
}

function placesIn(
  { length }: Uint8Array,
  random: FuzzRandom,
): [from: number, to: number] {
  const from = random(length + 1);
  const reach = random(3) === 0 ? length - from : Math.min(16, length - from);
  return [from, from + random(reach + 1)];
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
