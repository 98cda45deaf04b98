import assert from "node:assert/strict";
import { applyPatch } from "diff";
import {
  diffDocuments,
  diffInParts,
  patchBetween,
  unified,
} from "../../config/diff.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { ConfigError } from "../../errors.ts";
import { growth, proportional } from "../_scaling.ts";

const host = "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n";
const link = "apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\nmtu: 1500\n";

function documents(text: string) {
  const { documents, problems } = loadDocuments(text, "f");
  assert.ok(problems.every(({ level }) => level === "warning"));
  return documents;
}

function diff(from: string, to: string) {
  return diffDocuments(documents(from), documents(to));
}

function between(from: string, to: string): string {
  return patchBetween(documents(from), documents(to));
}

Deno.test("diffDocuments shows what changed, went and came, in this order", () => {
  const changed = host.replace(": a", ": b");
  const added = "apiVersion: v1alpha1\nkind: ZswapConfig\n";
  assert.deepEqual(diff(`${link}---\n${host}`, `${added}---\n${changed}`), [
    {
      identity: "LinkConfig/eth0",
      change: "removed",
      diff: `@@ -1,4 +0,0 @@\n${link.replace(/^/gm, "-").slice(0, -1)}`,
    },
    {
      identity: "HostnameConfig",
      change: "changed",
      diff:
        "@@ -1,3 +1,3 @@\n apiVersion: v1alpha1\n kind: HostnameConfig\n-hostname: a\n+hostname: b\n",
    },
    {
      identity: "ZswapConfig",
      change: "added",
      diff: "@@ -0,0 +1,2 @@\n+apiVersion: v1alpha1\n+kind: ZswapConfig\n",
    },
  ]);
});

Deno.test("diffDocuments does not count comments, layout, order and empty values", () => {
  const from = `machine: {type: worker, sysctls: {a: x, b: y}}\n---\n${host}`;
  const to =
    `${host}# here\n---\nmachine:\n  sysctls: # there\n    b: "y"\n    a: x\n  certSANs: []\n  type: worker\n`;
  assert.deepEqual(diff(from, to), []);
  assert.equal(between(from, to), "");
});

Deno.test("diffDocuments sees what is a text and what is not", () => {
  const free = (value: string) =>
    `machine: {kubelet: {extraConfig: {a: ${value}}}}`;
  assert.equal(diff(free("true"), free('"true"')).length, 1);
  assert.equal(diff(free("1.50"), free("1.5")).length, 0);
});

Deno.test("diffDocuments hides secrets, and marks those that became others", () => {
  const config = (token: string, key: string, type: string) =>
    `machine: {type: ${type}, token: ${token}, ca: {crt: YQ==, key: ${key}}}`;
  const [change] = diff(
    config("s3cret", "YQ==", "worker"),
    config("other", "YQ==", "controlplane"),
  );
  assert.equal(
    change?.diff,
    `@@ -1,7 +1,7 @@
 version: ""
 machine:
-    type: worker
-    token: '******'
+    type: controlplane
+    token: '****** (new)'
     ca:
         crt: (redacted, 4 characters)
         key: '******'
`,
  );
});

Deno.test("diffDocuments shows secrets of documents that came or went as hidden", () => {
  const auth =
    "apiVersion: v1alpha1\nkind: RegistryAuthConfig\nname: r\npassword: s3cret\n";
  for (const [change] of [diff("", auth), diff(auth, "")]) {
    assert.ok(change?.diff.includes("password: '******'\n"));
    assert.ok(!change?.diff.includes("s3cret"));
  }
});

Deno.test("diffDocuments shows no value that may be a secret, and says which ones changed", () => {
  const config = (one: string, two: string) =>
    `machine:
  type: worker
  env: {HTTP_PROXY: "http://a:${one}@proxy", KEPT: ${two}}
  install: {extraKernelArgs: [console=tty0, "api=grpc://a?jointoken=${one}"]}
cluster:
  controlPlane: {endpoint: "https://x:${one}@example.com:6443"}
  extraManifests: ["https://x:${two}@example.com/a.yaml?token=${one}"]
  inlineManifests:
  - name: secret
    contents: |
      kind: Secret
      stringData: {password: ${one}}
---
apiVersion: v1alpha1
kind: NewConfig
name: a
token: ${one}
`;
  const changes = diff(config("first", "kept"), config("second", "kept"));
  assert.deepEqual(
    changes.map(({ diff }) => diff.match(/^[-+].*$/gm)),
    [[
      "-            - api=(redacted, 24 characters)",
      "+            - api=(redacted, 25 characters, changed)",
      "-        HTTP_PROXY: (redacted, 20 characters)",
      "+        HTTP_PROXY: (redacted, 21 characters, changed)",
      "-        endpoint: https://******@example.com:6443",
      "+        endpoint: https://****** (new)@example.com:6443",
      "-        - https://******@example.com/a.yaml?******",
      "+        - https://******@example.com/a.yaml?****** (new)",
      "-          contents: (redacted, 43 characters)",
      "+          contents: (redacted, 44 characters, changed)",
    ], [
      "-token: (redacted, 5 characters)",
      "+token: (redacted, 6 characters, changed)",
    ]],
  );
});

Deno.test("patchBetween names documents by what identifies them", () => {
  assert.equal(
    between(
      `machine: {type: worker}\n---\n${host}---\n${link}`,
      `${
        link.replace("1500", "9000")
      }---\nmachine: {type: controlplane}\n---\napiVersion: v1alpha1\nkind: ZswapConfig\n`,
    ),
    `machine:
    type: controlplane
---
apiVersion: v1alpha1
kind: HostnameConfig
$patch: delete
---
apiVersion: v1alpha1
kind: LinkConfig
name: eth0
mtu: 9000
---
apiVersion: v1alpha1
kind: ZswapConfig
`,
  );
});

Deno.test("patchBetween holds secrets, which the patch has to set", () => {
  assert.equal(
    between("machine: {token: a}", "machine: {token: b}"),
    "machine:\n    token: b\n",
  );
});

Deno.test("patchBetween replaces a document that nothing else says", () => {
  const kind = "apiVersion: v1alpha1\nkind: NewConfig\nname: a\n";
  assert.equal(
    between(`${kind}x: 1\n`, `${kind}x: [y]\n`),
    `${kind}$patch: replace\nx:\n    - y\n`,
  );
});

Deno.test("patchBetween cannot remove the main document", () => {
  assert.throws(
    () => between(`machine: {type: worker}\n---\n${host}`, host),
    new ConfigError("Cannot make a patch that removes the main document", {
      hint: "Compare files that both have machine and cluster",
    }),
  );
});

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join("");

Deno.test("unified shows changed lines with three around them", () => {
  assert.equal(
    unified(lines(1, 9), lines(1, 4) + "five\n" + lines(6, 9)),
    "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
  );
});

Deno.test("unified shows changes that are far from each other on their own", () => {
  assert.equal(
    unified(lines(1, 20), `0\n${lines(1, 19)}`),
    "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -17,4 +18,3 @@\n 17\n 18\n 19\n-20\n",
  );
});

Deno.test("unified shows texts that came or went", () => {
  assert.equal(unified("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  assert.equal(unified("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
});

Deno.test("unified says when the line at the end is not complete", () => {
  assert.equal(
    unified("a\n", "a"),
    "@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n",
  );
});

Deno.test("unified of the same text is empty", () => {
  assert.equal(unified("a\nb\n", "a\nb\n"), "");
});

/** Lines of keys; every tenth has another value for another seed, and one in a thousand is omitted. */
function keys(count: number, seed: number): string {
  return Array.from({ length: count }, (_, i) => {
    if (seed > 0 && i % 1_000 === 7) return "";
    return i % 10 === 0 ? `same:\nkey-${i}: ${i * seed}\n` : `key-${i}: a\n`;
  }).join("");
}

Deno.test("unified of texts that differ in many lines is a patch, shown around what changed", () => {
  for (
    const [from, to] of [
      [keys(5_000, 0), keys(5_000, 3)],
      [keys(5_000, 3), keys(5_000, 0).slice(0, -1)],
      [lines(1, 3_000), lines(1_000, 2_500) + lines(1, 900)],
      ["a\n".repeat(900) + lines(1, 2_000), "a\n".repeat(90) + lines(3, 1_500)],
      [lines(1, 3_000), lines(10_001, 13_000)],
    ] as const
  ) {
    const diff = unified(from, to);
    assert.equal(applyPatch(from, `--- a\n+++ b\n${diff}`), to);
  }
  const hunks = unified(keys(5_000, 0), keys(5_000, 3)).split(/^(?=@@)/m);
  // 499 values changed, of which four are near a line that is gone and the value behind it.
  assert.equal(hunks.length, 495);
  assert.equal(
    hunks[0],
    "@@ -6,11 +6,10 @@\n key-4: a\n key-5: a\n key-6: a\n-key-7: a\n key-8: a\n key-9: a\n same:\n-key-10: 0\n+key-10: 30\n key-11: a\n key-12: a\n key-13: a\n",
  );
});

Deno.test("unified takes a time that grows with the texts, not with the square of what differs", async () => {
  const texts = (count: number) => [keys(count, 0), keys(count, 3)] as const;
  const [small, large] = [texts(2_000), texts(8_000)];
  const grown = await growth((size) => {
    unified(...size === 2_000 ? small : large);
  }, 2_000);
  assert.ok(grown < proportional, `${grown}`);
});

Deno.test("comparing documents stops between reading, hiding and comparing each of them", () => {
  const parts = diffInParts(
    documents(`${link}---\n${host}`),
    documents(
      `${host.replace(": a", ": b")}---\n${link.replace("1500", "9000")}`,
    ),
  );
  let stops = 0;
  for (let part = parts.next(); !part.done; part = parts.next()) stops++;
  assert.equal(stops, 8);
});

Deno.test("unified replaces a text of which hardly anything is left", () => {
  const from = lines(1, 3_000);
  const to = lines(10_001, 13_000).slice(0, -1);
  const diff = unified(from, to).split("\n");
  assert.equal(diff[0], "@@ -1,3000 +1,3000 @@");
  assert.deepEqual(diff.slice(1, 3), ["-1", "-2"]);
  assert.deepEqual(diff.slice(3_000, 3_002), ["-3000", "+10001"]);
  assert.deepEqual(diff.slice(-3), [
    "+13000",
    "\\ No newline at end of file",
    "",
  ]);
});

Deno.test("unified ends for large texts that have nothing in common", () => {
  const diff = unified(lines(1, 100_000), lines(200_001, 300_000));
  assert.equal(diff.split("\n").length, 200_002);
});
