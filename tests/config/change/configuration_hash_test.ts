import assert from "node:assert/strict";
import { configurationHash } from "../../../config/change/configuration_hash.ts";
import { parseDocuments } from "./_documents.ts";

function hash(text: string): Promise<string> {
  return configurationHash(parseDocuments(text));
}

const one = `machine:
  type: worker # here
  sysctls: {a: "1", b: "2"}
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: w1
auto: off
`;

const same = `apiVersion: v1alpha1
kind: HostnameConfig
auto: "off"
hostname: "w1"
---
machine:
  sysctls:
    b: "2"
    a: "1"
  type: worker
`;

Deno.test("configurationHash does not see comments, order and spelling", async () => {
  assert.equal(await hash(one), await hash(same));
});

Deno.test("configurationHash sees every value", async () => {
  assert.notEqual(await hash(one), await hash(one.replace("w1", "w2")));
  assert.notEqual(await hash(one), await hash(one.replace('"1"', '"3"')));
});

Deno.test("configurationHash keeps texts and numbers apart where no schema says what they are", async () => {
  const foreign = (value: string) =>
    hash(`apiVersion: v9\nkind: Other\nx: ${value}\n`);
  assert.notEqual(await foreign("1"), await foreign('"1"'));
  assert.equal(await foreign("0x10"), await foreign("16"));
  assert.notEqual(await foreign("[1, 2]"), await foreign("[2, 1]"));
});

Deno.test("configurationHash is SHA-256 of what the documents say", async () => {
  // sha256sum of the empty text.
  assert.equal(
    await configurationHash([]),
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  );
});
