import assert from "node:assert/strict";
import { toCursor } from "../../../../config/documents/cursor.ts";
import {
  encryptionRules,
  isUnencrypted,
} from "../../../../config/documents/storage/encryption.ts";
import { type Plain, toTree } from "../../../../config/tree/node.ts";

const provider = "luks2";

const cases: readonly (readonly [
  title: string,
  value: Plain,
  problems: readonly string[],
])[] = [
  ["no encryption", {}, []],
  ["no encryption, said so", { provider: "none", keys: [] }, []],
  ["one key of every kind", {
    provider: "LUKS2",
    keys: [
      { slot: 0, static: { passphrase: "a" } },
      { slot: 1, nodeID: {} },
      { slot: 2, kms: { endpoint: "https://kms.example.org" } },
      { slot: 3, tpm: {} },
    ],
  }, []],
  ["keys without a provider", { keys: [{ slot: 0, tpm: {} }] }, [
    "error provider: Encryption keys are given without a provider",
  ]],
  ["a provider without keys", { provider }, [
    'error keys: Encryption "luks2" has no keys',
  ]],
  ["a slot that is used twice", {
    provider,
    keys: [{ nodeID: {} }, { slot: 0, tpm: {} }],
  }, ['error keys[1].slot: Key slot "0" holds more than one key']],
  ["a key from nowhere", { provider, keys: [{ slot: 1, tpm: null }] }, [
    'error keys[0]: Key in slot "1" has no source',
  ]],
  ["settings that have no effect", { cipher: "aes-xts-plain64" }, [
    'warning : Encryption has options but neither "provider" nor "keys"',
  ]],
];

for (const [title, value, problems] of cases) {
  Deno.test(`encryptionRules finds ${problems.length} problems in ${title}`, () => {
    const found = [...encryptionRules(toCursor(toTree(value)))];
    assert.deepEqual(
      found.map(({ level, path, message }) => `${level} ${path}: ${message}`),
      problems,
    );
  });
}

for (
  const [value, nothing] of [
    [{}, true],
    [{ provider: "none", keys: [] }, true],
    [{ cipher: "aes-xts-plain64" }, true],
    [{ provider }, false],
    [{ keys: [{ slot: 0 }] }, false],
  ] as const
) {
  Deno.test(`isUnencrypted says ${nothing} of ${JSON.stringify(value)}`, () => {
    assert.equal(isUnencrypted(toCursor(toTree(value))), nothing);
  });
}
