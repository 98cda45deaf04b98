import assert from "node:assert/strict";
import { findPrime } from "../../pki/rsa_prime.ts";
import { hasOpenssl, openssl } from "./_openssl.ts";

async function isPrime(number: bigint): Promise<string> {
  const { text, problem } = await openssl(["prime", String(number)]);
  return text.split(" ").slice(1).join(" ") + problem;
}

for (const bits of [256, 1024]) {
  Deno.test({
    name: `findPrime finds a number of ${bits} bits that openssl finds prime`,
    ignore: !hasOpenssl,
    async fn() {
      const prime = await findPrime(bits);
      assert.equal(prime.toString(2).length, bits);
      assert.equal(prime.toString(2).slice(0, 2), "11");
      assert.match(await isPrime(prime), /is prime\n$/);
    },
  });
}

/** A start with the given digits. */
function from(hex: string): (length: number) => Uint8Array {
  return (length) => {
    assert.equal(length, hex.length / 2);
    return Uint8Array.fromHex(hex);
  };
}

Deno.test("findPrime takes the first prime from the random number on", async () => {
  const start = from("0102030405060708090a0b0c0d0e0f10");
  const prime = await findPrime(128, start);
  assert.equal(prime, 0xc102030405060708090a0b0c0d0e0f6dn);
});

Deno.test("findPrime passes over what only looks like a prime", async () => {
  // 0xa052e7b7b34e3cd5 times 0x140a5cf6f669c79a9, a pseudoprime to the base 2.
  const start = from("c8cf78fdc71b6723e308d74a4932d59d");
  const prime = await findPrime(128, start);
  assert.equal(prime, 0xc8cf78fdc71b6723e308d74a4932d5cbn);
});

Deno.test("findPrime starts anew when there is none for long", async () => {
  let starts = 0;
  const random = (length: number) => {
    if (++starts > 2) throw new RangeError("enough");
    return new Uint8Array(length);
  };
  // Numbers this small are all sorted out, primes as well.
  await assert.rejects(findPrime(8, random), { message: "enough" });
  assert.equal(starts, 3);
});
