import assert from "node:assert/strict";
import { testWithClusters } from "./_cluster.ts";

const hostname = (name: string) =>
  `{"machine": {"network": {"hostname": "${name}"}}}`;

testWithClusters(
  "patches for one role come after those for all",
  async ({ gen, write, read }) => {
    await write("worker.patch", "machine:\n  network:\n    hostname: w\n");
    await gen([
      ..."-o DIR/o --config-patch-worker @DIR/worker.patch --config-patch"
        .split(" "),
      hostname("all"),
      "--config-patch-control-plane",
      hostname("cp"),
      "--os-version",
      "v1.11",
    ]);
    assert.match(await read("o/controlplane.yaml"), /^ {8}hostname: cp$/m);
    assert.match(await read("o/worker.yaml"), /^ {8}hostname: w$/m);
  },
);

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
  "what a node would refuse is reported, and written anyway",
  async ({ gen }) => {
    const { out, err, status } = await gen([
      "-t",
      "worker",
      "-o",
      "-",
      "--install-disk",
      "",
    ]);
    assert.equal(status, 0);
    assert.match(out, /^machine:$/m);
    assert.match(err, /^WARNING: worker: v1alpha1: machine\.install: .*disk/m);
  },
);

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

testWithClusters("--validate=off says nothing", async ({ gen }) => {
  const { err, status } = await gen([
    "-t",
    "worker",
    "-o",
    "-",
    "--validate=off",
    "--install-disk",
    "",
  ]);
  assert.deepEqual([err, status], ["generating PKI and tokens\n", 0]);
});

testWithClusters(
  "what is generated has no fault in any version",
  async ({ gen }) => {
    for (let minor = 0; minor <= 12; minor++) {
      const { err, status } = await gen(
        `-t controlplane -o - --validate=error --os-version v1.${minor}`,
      );
      assert.deepEqual(
        [err, status],
        ["generating PKI and tokens\n", 0],
        `v1.${minor}`,
      );
    }
  },
);
