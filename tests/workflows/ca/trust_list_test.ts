import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  readTrust,
  withAccepted,
  withIssuer,
  withoutAccepted,
} from "../../../workflows/ca/trust_list.ts";
import { base64, testCa } from "../../_test_ca.ts";

const [old, next, third] = await Promise.all([testCa(), testCa(), testCa()]);

function mainDocument(type: "controlplane" | "worker"): string {
  const key = type === "worker" ? '""' : base64(old!.key);
  const ca = `{crt: ${base64(old!.pem)}, key: ${key}}`;
  return `version: v1alpha1
machine:
    type: ${type}
    token: abc # stays
    ca: ${ca}
cluster:
    ca: ${ca}
`;
}

const indent = (text: string) => text.trimEnd().replaceAll(/^/gm, "        ");

const ownDocument = `version: v1alpha1
machine:
    type: controlplane
cluster: {}
---
apiVersion: v1alpha1
kind: KubeAPIServerCAConfig
issuingCA:
    cert: |
${indent(old.pem)}
    key: |
${indent(old.key)}
`;

const ownWorker = `version: v1alpha1
machine:
    type: worker
cluster: {}
---
apiVersion: v1alpha1
kind: KubeAPIServerCAConfig
acceptedCAs:
    - |
${indent(old.pem)}
`;

function describeTrust(text: string, kind: "os" | "kubernetes") {
  const names = new Map([
    [old.fingerprint, "old"],
    [next.fingerprint, "new"],
    [third.fingerprint, "third"],
  ]);
  const { controlPlane, issuing, accepted } = readTrust(text, kind);
  const name = (of?: { fingerprint: string }) =>
    of === undefined ? "no CA" : names.get(of.fingerprint);
  return [
    controlPlane ? "controlplane" : "worker",
    name(issuing),
    ...accepted.map(name),
  ].join(" ");
}

for (const kind of ["os", "kubernetes"] as const) {
  for (const type of ["controlplane", "worker"] as const) {
    Deno.test(`the ${kind} CA of a ${type} is rotated in its main document`, () => {
      const before = mainDocument(type);
      assert.equal(describeTrust(before, kind), `${type} old`);
      const accepting = withAccepted(before, kind, next.pem);
      assert.equal(describeTrust(accepting, kind), `${type} old new`);
      const issuing = withIssuer(accepting, kind, {
        crt: next.pem,
        key: next.key,
      });
      assert.equal(describeTrust(issuing, kind), `${type} new old`);
      const has = issuing.includes(base64(next.key));
      assert.equal(has, type === "controlplane");
      const after = withoutAccepted(issuing, kind, old.fingerprint);
      assert.equal(describeTrust(after, kind), `${type} new`);
      assert.match(after, /token: abc # stays/);
      const other = kind === "os" ? "kubernetes" : "os";
      assert.equal(describeTrust(after, other), `${type} old`);
    });
  }
}

Deno.test("a change that already exists leaves every byte alone", () => {
  const before = mainDocument("controlplane");
  assert.equal(withAccepted(before, "os", old.pem), before);
  assert.equal(
    withIssuer(before, "os", { crt: old.pem, key: old.key }),
    before,
  );
  assert.equal(
    withoutAccepted(before, "os", next.fingerprint),
    before,
  );
});

Deno.test("withAccepted, withoutAccepted: accepting and dropping a CA leaves the configuration unchanged", () => {
  const before = withAccepted(
    mainDocument("controlplane"),
    "os",
    third.pem,
  );
  const accepting = withAccepted(before, "os", next.pem);
  assert.equal(describeTrust(accepting, "os"), "controlplane old third new");
  const back = withoutAccepted(accepting, "os", next.fingerprint);
  assert.equal(back, before);
  const plain = withoutAccepted(back, "os", third.fingerprint);
  assert.ok(!plain.includes("acceptedCAs"));
});

Deno.test("comments of CAs stay for as long as those do", () => {
  const before = `version: v1alpha1
machine:
    type: controlplane
    token: abc
    # issues since June
    ca:
        crt: ${base64(old!.pem)} # of the rack
        key: ${base64(old!.key)} # also in the safe
    # trusted
    acceptedCAs:
        # of the old rack
        - crt: ${base64(third!.pem)} # until July
        # no more
cluster: {}
`;
  const accepted = withAccepted(before, "os", next!.pem);
  const issued = withIssuer(accepted, "os", { crt: next!.pem, key: next!.key });
  const dropped = withoutAccepted(issued, "os", old.fingerprint);
  const comments = [
    "# issues since June",
    "# of the rack",
    "# also in the safe",
    "# trusted",
    "# of the old rack",
    "# until July",
    "# no more",
  ];
  for (const text of [accepted, issued, dropped]) {
    assert.deepEqual(text.match(/#.*/g), comments);
  }
  assert.deepEqual(
    withoutAccepted(dropped, "os", third.fingerprint).match(/#.*/g),
    comments.slice(0, 3),
  );
});

Deno.test("the CA of Kubernetes is exchanged in a document of its own", () => {
  assert.equal(describeTrust(ownDocument, "kubernetes"), "controlplane old");
  const accepting = withAccepted(ownDocument, "kubernetes", next.pem);
  const issuing = withIssuer(accepting, "kubernetes", {
    crt: next.pem,
    key: next.key,
  });
  assert.equal(describeTrust(issuing, "kubernetes"), "controlplane new old");
  const after = withoutAccepted(issuing, "kubernetes", old.fingerprint);
  const document = (text: string) => text.split("---\n")[1];
  assert.equal(
    document(after),
    document(ownDocument)?.replace(indent(old.pem), indent(next.pem))
      .replace(indent(old.key), indent(next.key)),
  );
});

Deno.test("workers with a document of their own name no issuing CA", () => {
  assert.equal(describeTrust(ownWorker, "kubernetes"), "worker no CA old");
  const issuer = { crt: next.pem, key: next.key };
  const accepting = withAccepted(ownWorker, "kubernetes", next.pem);
  assert.equal(describeTrust(accepting, "kubernetes"), "worker no CA old new");
  assert.equal(
    withIssuer(accepting, "kubernetes", issuer),
    accepting,
  );
  assert.equal(
    withIssuer(ownWorker, "kubernetes", issuer),
    accepting,
  );
  const after = withoutAccepted(accepting, "kubernetes", old.fingerprint);
  assert.equal(describeTrust(after, "kubernetes"), "worker no CA new");
  assert.ok(!after.includes(next.key.split("\n")[1]!));
});

Deno.test("readTrust refuses other documents", () => {
  const cases = [
    ["apiVersion: v1alpha1\nkind: HostnameConfig\n", /no main document/],
    ["machine: {type: worker, ca: {crt: '%%'}}", /is not base64/],
    ["machine: {type: worker, ca: {crt: QQ==}}", /Cannot read PEM/],
  ] as const;
  for (const [text, message] of cases) {
    assert.throws(
      () => readTrust(text, "os"),
      (error: unknown) =>
        error instanceof ConfigError && message.test(error.message),
    );
  }
});
