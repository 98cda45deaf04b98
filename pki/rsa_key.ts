/** Makes RSA keys. */

import {
  encodeSequence,
  encodeSmallNumber,
  encodeUnsigned,
} from "./der_encode.ts";
import { findPrime } from "./rsa_prime.ts";

/** Source of primes with the given number of bits. */
export type PrimeSource = (bits: number) => Promise<bigint>;

const publicExponent = 65_537n;

/**
 * Makes a key with the public exponent 65537.
 *
 * @param bits Size of the modulus.
 * @param prime Where primes come from; default a search.
 * @returns DER PKCS#1 (RFC 8017, A.1.2).
 */
export async function generateRsaKey(
  bits: number,
  prime: PrimeSource = findPrime,
): Promise<Uint8Array> {
  for (;;) {
    // While the platform judges the first, the second is searched for.
    const [p, q] = await Promise.all([prime(bits / 2), prime(bits / 2)]);
    const key = keyOf(p, q, bits);
    if (key !== undefined) return key;
  }
}

/** Follows FIPS 186-5, A.1.1; `undefined` when other primes are needed. */
function keyOf(p: bigint, q: bigint, bits: number): Uint8Array | undefined {
  const modulus = p * q;
  const distance = p > q ? p - q : q - p;
  if (bitLength(modulus) !== bits || bitLength(distance) <= bits / 2 - 100) {
    return undefined;
  }
  const order = (p - 1n) * (q - 1n) / gcd(p - 1n, q - 1n);
  const exponent = inverse(publicExponent, order);
  if (exponent === undefined || bitLength(exponent) <= bits / 2) {
    return undefined;
  }
  return pkcs1(
    modulus,
    publicExponent,
    exponent,
    p,
    q,
    exponent % (p - 1n),
    exponent % (q - 1n),
    // Two different primes have no common divisor.
    inverse(q, p) ?? 0n,
  );
}

function pkcs1(...numbers: readonly bigint[]): Uint8Array {
  return encodeSequence(
    encodeSmallNumber(0),
    ...numbers.map((number) => encodeUnsigned(bytesOf(number))),
  );
}

function bytesOf(number: bigint): Uint8Array {
  const digits = number.toString(16);
  return Uint8Array.fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

function bitLength(number: bigint): number {
  return number.toString(2).length;
}

function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** @returns `undefined` when the two have a common divisor. */
function inverse(number: bigint, modulus: bigint): bigint | undefined {
  let [rest, next] = [modulus, number % modulus];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  if (rest !== 1n) return undefined;
  return factor < 0n ? factor + modulus : factor;
}
