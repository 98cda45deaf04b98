import assert from "node:assert/strict";
import fc from "fast-check";
import {
  decryptSops,
  encryptSops,
  readSops,
  type SopsSelection,
} from "../../../config/sops/format.ts";
import { coreValue } from "../../../config/tree/core_value.ts";
import { type MapNode, type Plain, toTree } from "../../../config/tree/node.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { writeDocuments, writeTree } from "../../../config/tree/write.ts";
import type { Json } from "../../../lib/json.ts";
import { processMasker } from "../../../lib/masker.ts";
import { openSealed, sealFor } from "../../../pki/age.ts";
import { withFolder } from "../../_folder.ts";
import { findProgram, needs, optional } from "../../_needs.ts";
import {
  fewKeys,
  fewKeysPlain,
  manyKinds,
  manyKindsPlain,
  testIdentity,
  testRecipient,
} from "../_sops_files.ts";

async function decrypt(text: string): Promise<readonly Json[]> {
  const { documents } = readDocuments(text, "a.yaml");
  const metadata = readSops(documents);
  assert.ok(metadata !== undefined);
  const key = await openSealed(metadata.age[0]?.enc ?? "", [testIdentity]);
  assert.ok(key !== undefined);
  return decryptSops(documents, metadata, "a.yaml", key)
    .map(({ root }) => coreValue(root));
}

async function encrypt(
  value: Plain,
  selection: SopsSelection,
): Promise<string> {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const enc = await sealFor(testRecipient, key);
  const age = [{ recipient: testRecipient, enc }];
  const now = new Date("2026-01-02T03:04:05.678Z");
  const roots = [toTree(value) as MapNode];
  return writeDocuments(encryptSops(roots, key, { selection, age, now }));
}

Deno.test("files of SOPS are decrypted, and what was encrypted is masked", async () => {
  assert.deepEqual(await decrypt(manyKinds), manyKindsPlain);
  assert.deepEqual(await decrypt(fewKeys), [fewKeysPlain]);
  assert.equal(
    processMasker.mask("it is secret, first item, hidden two, hidden three"),
    "******, ******, ******, ******",
  );
});

Deno.test("a changed file of SOPS is refused by line and column", async () => {
  const restore = "Restore the file, or edit it with: sops edit";
  const value = /ENC\[.*?\]/.exec(manyKinds)?.[0] ?? "";
  const line = (text: string, part: string) =>
    text.slice(0, text.indexOf(part)).split("\n").length;
  for (
    const [text, place, fault] of [
      [
        manyKinds.replace(value, value.replace(/data:./, "data:+")),
        "line 1, column 7",
        "this value does not decrypt: it was changed or moved",
      ],
      [
        manyKinds.replace("name: ENC", "title: ENC"),
        "line 1, column 8",
        "this value does not decrypt: it was changed or moved",
      ],
      [
        manyKinds.replace(value, "plain"),
        "line 1, column 7",
        "this value is not encrypted",
      ],
      [
        manyKinds.replace("key_unencrypted: 15", "key_unencrypted: 16"),
        `line ${line(manyKinds, "    mac:")}, column 10`,
        "the MAC does not match: values were changed after the encryption",
      ],
      [
        fewKeys.replace(/^ {4}mac: .*\n/m, ""),
        `line ${line(fewKeys, "sops:") + 1}, column 5`,
        "it has no MAC",
      ],
    ] as const
  ) {
    await assert.rejects(
      decrypt(text),
      {
        name: "ConfigError",
        message: `Cannot read "a.yaml" at ${place}: ${fault}`,
        hint: restore,
      },
    );
  }
  // A MAC over the encrypted values says nothing of others.
  assert.deepEqual(await decrypt(fewKeys.replace("open: 1", "open: 2")), [
    { ...fewKeysPlain, open: 2 },
  ]);
});

Deno.test("only the chosen values are encrypted", async () => {
  const value = { a: { token: "t", x_open: "o", x: "v" } };
  for (
    const [selection, left] of [
      [{ unencrypted_suffix: "_open" }, ["o"]],
      [{ encrypted_suffix: "_open" }, ["t", "v"]],
      [{ encrypted_regex: "^tok" }, ["o", "v"]],
      [{ unencrypted_regex: "^(tok|x$)" }, ["t", "v"]],
      [{ encrypted_regex: "^a$", mac_only_encrypted: true }, []],
    ] as const
  ) {
    const text = await encrypt(value, selection);
    const plain = Object.values(value.a).filter((one) =>
      new RegExp(`: ${one}$`, "m").test(text)
    );
    assert.deepEqual(plain.toSorted(), [...left].toSorted());
    assert.deepEqual(await decrypt(text), [value]);
  }
});

const sopsProgram = ["sops", `${Deno.env.get("HOME")}/go/bin/sops`]
  .map(findProgram).find((path) => path !== undefined);
const sops = optional(
  "sops",
  "files that it has encrypted are recorded",
  () => sopsProgram !== undefined,
);

async function runSops(
  folder: string,
  ...args: readonly string[]
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(
    sopsProgram ?? "sops",
    {
      args: [...args],
      cwd: folder,
      env: { SOPS_AGE_KEY: testIdentity, XDG_CONFIG_HOME: folder },
    },
  ).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

const scalar = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 })
    // Go and YAML have no lone surrogates, and no other control characters.
    // deno-lint-ignore no-control-regex
    .filter((text) => !/[\0-\x1f\x7f-\x9f\ufffe\uffff\ufeff]/.test(text)),
  fc.constantFrom(
    "yes",
    "12",
    "1e3",
    "null",
    "2020-01-02",
    "a\nb\n",
    "ENC[x]",
    " ",
  ),
  fc.integer(),
  fc.constantFrom(1.5, -0.25, 1e-7, 123456789.125),
  fc.boolean(),
  fc.constant(null),
);
const tree = fc.letrec<{ node: Plain; map: Record<string, Plain> }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("node"), { maxLength: 4 }),
    tie("map"),
  ),
  map: fc.dictionary(
    fc.stringMatching(/^[a-z][a-z_]{0,8}$/).filter((key) => key !== "sops"),
    tie("node"),
    { maxKeys: 5, noNullPrototype: true },
  ),
})).map;

Deno.test({
  name: "SOPS decrypts what osctl encrypts, and osctl what SOPS encrypts",
  ...needs(sops),
  async fn() {
    await withFolder({ ".sops.yaml": "creation_rules:\n" }, async (folder) => {
      const samples = fc.sample(tree, { numRuns: 40, seed: 3 });
      // Mappings at the root hold many values each.
      for (let from = 0; from < samples.length; from += 10) {
        const value = Object.fromEntries(
          samples.slice(from, from + 10).map((one, at) => [`k${at}`, one]),
        );
        const path = `${folder}/a.yaml`;
        const selection = from === 0
          ? { encrypted_regex: "^(k[0-4]|x_.*)$", mac_only_encrypted: true }
          : { unencrypted_suffix: "_unencrypted" };
        await Deno.writeTextFile(path, await encrypt(value, selection));
        const json = await runSops(
          folder,
          "decrypt",
          "--output-type",
          "json",
          path,
        );
        assert.deepEqual(JSON.parse(json), value);

        await Deno.writeTextFile(path, writeTree(toTree(value)));
        const text = await runSops(
          folder,
          "encrypt",
          "--age",
          testRecipient,
          path,
        );
        assert.deepEqual(await decrypt(text), [value]);
      }
    });
  },
});
