import assert from "node:assert/strict";
import {
  clusterDifferences,
  configurationAllowances,
  type Intended,
  objections,
  roleIn,
} from "../../../workflows/configuration/guards.ts";
import { parseDocuments } from "../../config/change/_documents.ts";

const worker = "machine: {type: worker}\ncluster: {id: one}\n";

function makeIntended(
  node: string,
  wanted: string,
  live: string | undefined = worker,
): Intended {
  return {
    node,
    live: live === undefined
      ? undefined
      : { text: live, documents: parseDocuments(live) },
    version: "1.12",
    platform: "metal",
    wanted: parseDocuments(wanted),
  };
}

function listObjections(...all: readonly Intended[]): readonly string[] {
  return objections(all, new Set()).map(({ allowance, reason }) =>
    `${allowance}: ${reason}`
  );
}

Deno.test("objections finds nothing where a configuration belongs", () => {
  assert.deepEqual(listObjections(makeIntended("a", worker)), []);
});

Deno.test("objections finds another role and another cluster", () => {
  assert.deepEqual(
    listObjections(
      makeIntended("a", "machine: {type: controlplane}\ncluster: {id: two}\n"),
    ),
    [
      "role-change: a is a worker, and the configuration is for a control plane",
      "cluster-change: a is in another cluster: cluster.id of the configuration differ",
    ],
  );
});

const makeNamed = (name: string) =>
  `${worker}---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: ${name}
`;

Deno.test("objections finds values of one node that several would have", () => {
  assert.deepEqual(
    listObjections(
      makeIntended("a", makeNamed("x")),
      makeIntended("b", makeNamed("x")),
    ),
    [
      'same-file: a and b would have the same host name "x" (HostnameConfig hostname)',
    ],
  );
  assert.deepEqual(
    listObjections(
      makeIntended("a", makeNamed("x"), makeNamed("x")),
      makeIntended("b", makeNamed("x")),
    ),
    [
      'same-file: a and b would have the same host name "x" (HostnameConfig hostname)',
    ],
  );
  assert.deepEqual(
    listObjections(
      makeIntended("a", makeNamed("x")),
      makeIntended("b", makeNamed("y")),
    ),
    [],
  );
});

Deno.test("objections lets nodes keep what they share already", () => {
  assert.deepEqual(
    listObjections(
      makeIntended("a", makeNamed("x"), makeNamed("x")),
      makeIntended("b", makeNamed("x"), makeNamed("x")),
    ),
    [],
  );
});

Deno.test("objections shows no keys", () => {
  const key = `${worker}---
apiVersion: v1alpha1
kind: WireguardConfig
name: wg0
privateKey: SECRET
`;
  assert.deepEqual(
    listObjections(makeIntended("a", key), makeIntended("b", key)),
    [
      "same-file: a and b would have the same key (WireguardConfig/wg0 privateKey)",
    ],
  );
});

Deno.test("objections does not compare with what a node does not have", () => {
  const image = "machine: {type: worker, install: {image: 'e.org/i:v1.14.0'}}";
  const bare = { ...makeIntended("a", image), live: undefined };
  assert.deepEqual(objections([bare], new Set()), []);
  assert.deepEqual(
    listObjections(makeIntended("a", image)).map((text) => text.split(":")[0]),
    ["cluster-change", "skew"],
  );
});

Deno.test("objections that are allowed are none", () => {
  const all = [
    makeIntended("a", "machine: {type: controlplane}\ncluster: {id: two}\n"),
  ];
  assert.deepEqual(
    objections(all, new Set(["cluster-change"])).map(({ allowance }) =>
      allowance
    ),
    ["role-change"],
  );
  assert.deepEqual(objections(all, new Set(configurationAllowances)), []);
});

function machine(ca: string, accepted: readonly string[] = [], id = "one") {
  const list = accepted.map((crt) => `{crt: ${crt}}`).join(", ");
  return parseDocuments(
    `machine: {type: worker, ca: {crt: ${ca}}, acceptedCAs: [${list}]}
cluster: {id: ${id}}
`,
  );
}

Deno.test("roleIn knows control planes and workers, and says when it is not reported", () => {
  const role = (text: string) => roleIn(parseDocuments(text));
  assert.equal(role("machine: {type: controlplane}"), "controlplane");
  assert.equal(role("machine: {type: init}"), "controlplane");
  assert.equal(role("machine: {type: worker}"), "worker");
  assert.equal(role("cluster: {id: a}"), undefined);
  assert.equal(role("apiVersion: v1alpha1\nkind: HostnameConfig"), undefined);
});

Deno.test("clusterDifferences finds another identity and another CA", () => {
  assert.deepEqual(clusterDifferences(machine("A"), machine("A")), []);
  assert.deepEqual(clusterDifferences(machine("A"), machine("B")), [
    "machine.ca",
  ]);
  assert.deepEqual(
    clusterDifferences(machine("A"), machine("B", [], "two")),
    ["cluster.id", "machine.ca"],
  );
});

Deno.test("clusterDifferences lets a CA be rotated", () => {
  assert.deepEqual(clusterDifferences(machine("A", ["B"]), machine("B")), []);
  assert.deepEqual(clusterDifferences(machine("A"), machine("B", ["A"])), []);
  assert.deepEqual(clusterDifferences(machine("A"), machine("B", ["C"])), [
    "machine.ca",
  ]);
});
