import assert from "node:assert/strict";
import { encodePem } from "../../pki/pem.ts";
import { generateRsaKey } from "../../pki/rsa_key.ts";
import { hasOpenssl, openssl } from "./_openssl.ts";

async function examine(pkcs1: Uint8Array): Promise<string> {
  const key = encodePem("RSA PRIVATE KEY", pkcs1);
  const args = ["rsa", "-in", "key", "-check", "-text", "-noout"];
  return (await openssl(args, { key })).text;
}

for (const bits of [2048, 3072]) {
  Deno.test({
    name: `generateRsaKey makes a key of ${bits} bits that openssl finds valid`,
    ignore: !hasOpenssl,
    async fn() {
      const text = await examine(await generateRsaKey(bits));
      assert.match(
        text,
        new RegExp(`^Private-Key: \\(${bits} bit, 2 primes\\)`),
      );
      assert.match(text, /publicExponent: 65537 \(0x10001\)\n/);
      assert.match(text, /RSA key ok\n/);
    },
  });
}

// Made by `openssl prime -generate`; the last has 127 bits.
const p = 0xf73c12612edf56c6541e142e3894ea97n;
const q = 0xd4258657d4311c4b184d8b922cebed05n;
const short = 0x79e62a145e264e9268d65db0849fe2dbn;

async function keyFrom(...primes: readonly bigint[]): Promise<Uint8Array> {
  const left = [...primes];
  const key = await generateRsaKey(256, (bits) => {
    assert.equal(bits, 128);
    return Promise.resolve(left.shift() ?? 0n);
  });
  assert.deepEqual(left, []);
  return key;
}

Deno.test({
  name: "generateRsaKey puts the numbers of a key where openssl looks for them",
  ignore: !hasOpenssl,
  async fn() {
    const text = await examine(await keyFrom(p, q));
    assert.match(text, /RSA key ok\n/);
    assert.match(
      text,
      /prime1:\n {4}00:f7:3c:12:61:2e:df:56:c6:54:1e:14:2e:38:94:\n {4}ea:97\n/,
    );
  },
});

Deno.test("generateRsaKey wants other primes when the two are the same", async () => {
  assert.deepEqual(await keyFrom(p, p, p, q), await keyFrom(p, q));
});

Deno.test("generateRsaKey wants other primes when they are too close", async () => {
  assert.deepEqual(await keyFrom(p, p + 2n, p, q), await keyFrom(p, q));
});

Deno.test("generateRsaKey wants other primes when the modulus is too short", async () => {
  assert.deepEqual(await keyFrom(p, short, p, q), await keyFrom(p, q));
});

Deno.test("generateRsaKey wants other primes when 65537 divides one less than a prime", async () => {
  // Not prime, which nobody looks at here.
  const divisible = 65_537n * (q / 65_537n) + 1n;
  assert.deepEqual(await keyFrom(p, divisible, p, q), await keyFrom(p, q));
});

Deno.test("generateRsaKey passes on why there are no primes", async () => {
  await assert.rejects(
    generateRsaKey(256, () => Promise.reject(new RangeError("none"))),
    { name: "RangeError", message: "none" },
  );
});
