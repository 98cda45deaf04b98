import assert from "node:assert/strict";
import { testWithClusters } from "./_cluster.ts";

testWithClusters(
  "operations patch every document that is made",
  async ({ gen }) => {
    const operations =
      '[{"op": "replace", "path": "/persist", "value": false}, {"op": "replace", "path": "/auto", "value": "off", "document": "HostnameConfig"}]';
    const { out } = await gen([
      "-t",
      "worker",
      "-o",
      "-",
      "--validate=off",
      "--config-patch",
      operations,
    ]);
    assert.match(out, /^persist: false$/m);
    assert.match(out, /^auto: "off"$/m);
  },
);

testWithClusters("notes about patches name the role", async ({ gen }) => {
  const { err } = await gen([
    ..."-t worker -o - --config-patch".split(" "),
    '{"machine": {"sysctls": {"$patch": "delete"}}}',
  ]);
  assert.match(
    err,
    /^worker: nothing to delete: there is no machine\.sysctls/m,
  );
});

testWithClusters(
  "--validate=error writes nothing that a node would refuse",
  async ({ gen }) => {
    const { out, err, status } = await gen([
      ..."-t worker -o - --validate error --install-disk".split(" "),
      "",
    ]);
    assert.deepEqual([out, status], ["", 2]);
    assert.match(
      err,
      /^error: Cannot use the worker configuration: machine\.install: .*disk/m,
    );
  },
);
