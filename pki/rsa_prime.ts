/**
 * Searches the primes of RSA keys.
 *
 * The platform's own search divides by few small primes before it computes, and takes three times as long. So what is
 * surely not prime is sorted out here, and whether the rest is prime is for the platform to say.
 */

import { checkPrime } from "node:crypto";
import { platformBytes, type RandomBytes } from "./random_bytes.ts";

/** Numbers with a divisor below this are sorted out by sieving. */
const sieveBound = 1 << 18;

/** How many odd numbers are looked at from a random start on; about one in 710 is prime. */
const span = 8192;

/** Miller-Rabin rounds; FIPS 186-5, table B.1 asks for four, for an error below 2^-144. */
const rounds = 5;

/**
 * Finds a prime: the first from a random number on.
 *
 * @param bits Its length, a multiple of eight; the two highest bits are set.
 * @param random Source of the start.
 */
export async function findPrime(
  bits: number,
  random: RandomBytes = platformBytes,
): Promise<bigint> {
  for (;;) {
    const start = randomOdd(bits, random);
    for (const candidate of survivors(start)) {
      if (isLikely(candidate) && await isPrime(candidate)) return candidate;
    }
  }
}

/** Two such numbers have a product of twice the length. */
function randomOdd(bits: number, random: RandomBytes): bigint {
  const top = 3n << BigInt(bits - 2);
  return BigInt(`0x${random(bits / 8).toHex()}`) | top | 1n;
}

function* survivors(start: bigint): Iterable<bigint> {
  const isDivisible = new Uint8Array(span);
  for (const prime of smallPrimes()) {
    const rest = Number(start % BigInt(prime));
    // How far the next multiple is; the next but one where that is even.
    const next = (prime - rest) % prime;
    const first = (next % 2 === 0 ? next : next + prime) / 2;
    for (let at = first; at < span; at += prime) isDivisible[at] = 1;
  }
  for (const [at, divisible] of isDivisible.entries()) {
    if (divisible === 0) yield start + BigInt(2 * at);
  }
}

/** Odd primes below {@linkcode sieveBound}. */
function smallPrimes(): readonly number[] {
  const isComposite = new Uint8Array(sieveBound);
  const primes: number[] = [];
  for (let number = 3; number < sieveBound; number += 2) {
    if (isComposite[number] === 1) continue;
    primes.push(number);
    for (let at = number * number; at < sieveBound; at += 2 * number) {
      isComposite[at] = 1;
    }
  }
  return primes;
}

/** Fermat's test to the base 2; primes pass, nearly nothing else does. */
function isLikely(number: bigint): boolean {
  let power = 1n;
  for (const bit of (number - 1n).toString(2)) {
    power = power * power % number;
    if (bit === "1") power <<= 1n;
  }
  return power % number === 1n;
}

function isPrime(number: bigint): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  checkPrime(number, { checks: rounds }, (error, result) => {
    if (error === null) resolve(result);
    else reject(error);
  });
  return promise;
}
