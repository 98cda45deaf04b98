import assert from "node:assert/strict";
import {
  movedBy,
  noMovements,
} from "../../../../workflows/runbooks/plan/changing_facts.ts";
import { finders } from "../../../_finders.ts";
import { change, look } from "./_plan_inputs.ts";

Deno.test("a step that looks moves no fact, and one that reboots moves all that can change", () => {
  assert.deepEqual(movedBy(look("node.system")), []);
  const moved = movedBy(change("reboot", { effect: "disrupt" }));
  assert.ok(
    ["version", "bootId", "etcd", "ready"].every((fact) =>
      moved.some((one) => one === fact)
    ),
  );
  assert.ok(!moved.some((one) => one === "role" || one === "address"));
});

Deno.test("a step that writes moves what follows from the configuration", () => {
  assert.deepEqual(movedBy(change("config.patch")), [
    "image",
    "kubernetesVersion",
    "labels",
    "ready",
    "zone",
  ]);
  assert.ok(movedBy(change("etcd.defrag")).includes("etcd"));
});

Deno.test("closing a node, pulling and installing move no fact of it, handing over only etcd", async () => {
  const moved = async (name: string) =>
    movedBy(await finders.module(name) ?? assert.fail(name));
  for (const name of ["node.cordon", "node.drain", "image.pull"]) {
    assert.deepEqual(await moved(name), []);
  }
  assert.deepEqual(await moved("upgrade.install"), []);
  assert.deepEqual(await moved("etcd.forfeitLeadership"), ["etcd"]);
});

Deno.test("movements are remembered by node, fact and step, each step once", () => {
  const moved = noMovements();
  moved.add("a", ["version", "ready"], "one");
  moved.add("a", ["ready"], "two");
  moved.add("b", [], "two");
  assert.deepEqual(moved.of(["a"], ["version", "ready"]), ["one", "two"]);
  assert.deepEqual(moved.of(["a"], ["labels"]), []);
  assert.deepEqual(moved.of(["c"], ["version"]), []);
  assert.deepEqual([...moved.nodes], ["a", "b"]);
});
