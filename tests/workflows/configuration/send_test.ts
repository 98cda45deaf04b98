import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { processMasker } from "../../../lib/masker.ts";
import { sendConfiguration } from "../../../workflows/configuration/send.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";

const live = "machine: {type: worker, token: old-t0ken-1, sysctls: {a: x}}\n";
const wanted =
  "machine: {type: worker, token: new-t0ken-2, sysctls: {a: y}, env: {A: env-v4lue}}\n";

const ours = `v1alpha1 changed
@@ -1,8 +1,10 @@
 version: ""
 machine:
     type: worker
-    token: '******'
+    token: '****** (new)'
     certSANs: []
+    env:
+        A: (redacted, 9 characters)
     sysctls:
-        a: x
+        a: "y"
 cluster: null`;

const theirs = `--- a
+++ b
@@ -1,2 +1,2 @@
-    token: old-t0ken-1
+    token: new-t0ken-2
`;

function send(node: FakeNode) {
  return fakeNodes({ n: node }).nodes.at("n").then((client) =>
    sendConfiguration(client, { text: wanted, mode: 2 })
  );
}

const readable: FakeNode = {
  get: () => ({ resource: { spec: { yamlSpec: live } } }),
};

function refusing(message: string): FakeNode {
  return {
    applyConfiguration: () =>
      Promise.reject(new RpcError("INVALID_ARGUMENT", message)),
  };
}

for (
  const [given, shown] of [
    [
      "this cannot be applied in immediate mode\ndiff: " + theirs,
      [
        "this cannot be applied in immediate mode",
        `diff:\n${ours}`,
      ].join("\n"),
    ],
    [`Config diff:\n\n${theirs}`, `Config diff:\n${ours}`],
    [`changes:\n${theirs}`, `changes:\n${ours}`],
    [theirs, ours],
    ['  &Config{\n- \tToken: "old-t0ken-1",', `  &Config{\n${ours}`],
  ] as const
) {
  Deno.test(`a refusal ${JSON.stringify(given)} has our own diff`, async () => {
    await assert.rejects(
      () => send({ ...readable, ...refusing(given) }),
      new RpcError("INVALID_ARGUMENT", shown),
    );
  });
}

Deno.test("details and warnings of an answer have our own diff, all else is as it was", async () => {
  const answer = await send({
    ...readable,
    applyConfiguration: () => ({
      messages: [{
        modeDetails: `Dry run summary:\nConfig diff:\n\n${theirs}`,
        warnings: ["nothing to say", theirs],
        mode: 2,
      }],
    }),
  });
  assert.equal(
    answer.modeDetails,
    `Dry run summary:\nConfig diff:\n${ours}`,
  );
  assert.deepEqual(answer.warnings, ["nothing to say", ours]);
  assert.equal(answer.mode, 2);
});

Deno.test("a diff of a node that does not show its configuration is omitted", async () => {
  const hidden: FakeNode = {
    get: () => Promise.reject(new RpcError("PERMISSION_DENIED", "no")),
  };
  await assert.rejects(
    () => send({ ...hidden, ...refusing(`no\ndiff:\n${theirs}`) }),
    new RpcError("INVALID_ARGUMENT", "no\ndiff:\n(redacted, 75 characters)"),
  );
});

Deno.test("an answer without a diff stays, and asks for nothing more", async () => {
  const message = "Config diff:\n\nNo changes.";
  await assert.rejects(
    () => send(refusing(message)),
    new RpcError("INVALID_ARGUMENT", message),
  );
  await assert.rejects(
    () => send(refusing("1 error occurred:\n\t* no disk")),
    new RpcError("INVALID_ARGUMENT", "1 error occurred:\n\t* no disk"),
  );
});

Deno.test("send: registers the secrets of a sent configuration for masking", async () => {
  const text = "machine: {token: sent-t0ken-9}";
  const client = await fakeNodes({
    n: refusing("bad token sent-t0ken-9"),
  }).nodes.at("n");
  await assert.rejects(
    () => sendConfiguration(client, { text, mode: 1 }),
    new RpcError("INVALID_ARGUMENT", "bad token sent-t0ken-9"),
  );
  assert.equal(
    processMasker.mask("bad token sent-t0ken-9"),
    "bad token ******",
  );
});

Deno.test("a configuration that was read before is not read again", async () => {
  const sent: Uint8Array[] = [];
  const client = await fakeNodes({
    n: {
      applyConfiguration({ data }: { readonly data: Uint8Array }) {
        sent.push(data);
        return { messages: [{ modeDetails: "", warnings: [] }] };
      },
    },
  }).nodes.at("n");
  // Reading it would fail.
  const text = "{";
  await sendConfiguration(client, { text, documents: [], mode: 2 });
  assert.deepEqual(sent, [new TextEncoder().encode("{")]);
});
