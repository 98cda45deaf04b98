import assert from "node:assert/strict";
import type { Residue } from "../../../../workflows/runbooks/event.ts";
import {
  keepResidue,
  type ResidueByNode,
  residueList,
} from "../../../../workflows/runbooks/journal/residue.ts";

function after(...modules: readonly string[]): readonly Residue[] {
  const residue: ResidueByNode = new Map();
  for (const module of modules) keepResidue(residue, module, "cp-1");
  return residueList(residue);
}

const cordoned: Residue = {
  kind: "cordoned",
  node: "cp-1",
  message: "cp-1 is still cordoned",
};
const armed: Residue = {
  kind: "armed",
  node: "cp-1",
  message: "cp-1 has an installed version that it was not rebooted into",
};
const accepted: Residue = {
  kind: "accepted-ca",
  node: "cp-1",
  message: "cp-1 accepts a CA that does not issue certificates",
};

Deno.test("modules leave something behind until another one takes it away", () => {
  assert.deepEqual(after("node.cordon"), [cordoned]);
  assert.deepEqual(after("node.drain"), [cordoned]);
  assert.deepEqual(after("node.cordon", "node.drain"), [cordoned]);
  assert.deepEqual(after("node.cordon", "node.uncordon"), []);
  assert.deepEqual(after("upgrade.install"), [armed]);
  assert.deepEqual(after("upgrade.install", "node.reboot"), []);
  assert.deepEqual(after("upgrade.install", "reboot"), []);
  assert.deepEqual(after("ca.accept"), [accepted]);
  assert.deepEqual(after("ca.accept", "ca.drop"), []);
  assert.deepEqual(after("etcd.snapshot", "node.uncordon"), []);
});

Deno.test("one kind is taken away, the others stay", () => {
  assert.deepEqual(
    after("node.drain", "ca.accept", "upgrade.install", "reboot"),
    [cordoned, accepted],
  );
  assert.deepEqual(after("reboot", "upgrade.install"), [armed]);
});

Deno.test("every node has its own account", () => {
  const residue: ResidueByNode = new Map();
  keepResidue(residue, "node.cordon", "w-1");
  keepResidue(residue, "node.cordon", "w-2");
  keepResidue(residue, "node.uncordon", "w-1");
  assert.deepEqual(residueList(residue).map(({ node }) => node), ["w-2"]);
});

Deno.test("a node that nothing was left on has no account", () => {
  const residue: ResidueByNode = new Map();
  for (let i = 0; i < 1_000; i++) keepResidue(residue, "k8s.apply", `w-${i}`);
  assert.equal(residue.size, 0);
});

Deno.test("residue: earlier results do not change afterwards", () => {
  const residue: ResidueByNode = new Map();
  keepResidue(residue, "node.cordon", "w-1");
  const copy = new Map(residue);
  keepResidue(residue, "node.uncordon", "w-1");
  assert.equal(residueList(copy).length, 1);
});
