import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";

import { withWire } from "../../_wire.ts";

Deno.test("inspect dependencies draws simulated nodes, also when one is down", async () => {
  await withWire({ workers: 1 }, async ({ osctl, names, cluster }) => {
    const [first = "", second = ""] = names;
    const dot = await osctl(`inspect dependencies -n ${first}`);
    assert.deepEqual([dot.err, dot.status], ["", 0]);
    assert.match(
      dot.out,
      /^digraph \{\n {2}n1 \[label="AddressMergeControllers\.net\./,
    );
    assert.match(dot.out, /label="k8s.KubeletSpecController" shape=box/);
    assert.match(dot.out, / -> n\d+ \[style=dotted label="v1alpha1"\];/);

    const resources = await osctl(
      `inspect dependencies --with-resources -n ${first}`,
    );
    assert.match(resources.out, /label="runtime\/Disks\.block\.\S+\/vda"/);
    assert.match(resources.out, /subgraph cluster_0 \{/);

    const json = await osctl(
      `inspect dependencies --with-resources -o json -n ${first}`,
    );
    const { node, edges, resources: all } = JSON.parse(json.out);
    assert.equal(node, first);
    assert.deepEqual(
      edges.find(({ controller }: { readonly controller: string }) =>
        controller === "block.DisksController"
      ).kind,
      "output-exclusive",
    );
    assert.equal(
      all.find(({ id }: { readonly id: string }) => id === "vda").owner,
      "block.DevicesController",
    );

    await setFault(cluster.nodes[1]!, "unavailable");
    const svg = await osctl("inspect dependencies -o svg");
    assert.match(svg.out, /<svg [^]*KubeletSpecController[^]*<\/svg>\n$/);
    assert.match(svg.err, new RegExp(`^error: .*${second}\\b.*: `, "m"));
    assert.equal(svg.status, 3);
  });
});
