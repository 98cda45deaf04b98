import assert from "node:assert/strict";
import {
  differences,
  endState,
} from "../../../workflows/rehearsal/end_state.ts";
import { cluster, node, nodes } from "./_evidence.ts";

Deno.test("clusters are alike whatever their authorities are called, and nodes that have left do not count", () => {
  const trust = {
    issuer: "ff",
    accepted: ["ff"],
    kubernetesIssuer: "",
    kubernetesAccepted: ["0e"],
  };
  const [line] = endState(cluster({ nodes: [node("w-1", { trust })] }));
  assert.equal(
    line,
    "w-1, runs v1, starts v1, ready, open, trusts ca1+ca1, in Kubernetes -+ca2, no etcd",
  );
  const alone = cluster({ nodes: [node("w-1")] });
  assert.deepEqual(endState(alone), [line]);
  const left = cluster({
    nodes: [node("w-1"), node("w-2", { isPart: false })],
  });
  assert.deepEqual(endState(left), [line]);
});

Deno.test("nodes that differ are told as they are and as they should be", () => {
  const expected = endState(cluster());
  assert.deepEqual(differences(expected, endState(cluster())), []);
  const closed = node("w-1", { isCordoned: true, isReady: false });
  const found = endState(cluster({ nodes: [...nodes.slice(0, 3), closed] }));
  assert.deepEqual(differences(expected, found), [
    "is: w-1, runs v1, starts v1, not ready, cordoned, trusts ca1+ca1, in Kubernetes -+ca2, no etcd",
    "should be: w-1, runs v1, starts v1, ready, open, trusts ca1+ca1, in Kubernetes -+ca2, no etcd",
  ]);
});
