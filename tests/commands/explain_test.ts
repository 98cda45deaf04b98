import assert from "node:assert/strict";
import { run } from "../_run.ts";

Deno.test("explain shows a field with type, versions, default, keys and examples", async () => {
  const { out } = await run("explain machine.network.interfaces");
  assert.match(
    out,
    /^DOCUMENT: {3}v1alpha1\nFIELD: {6}machine\.network\.interfaces \(list of objects\)\nSUMMARY: {4}Network interfaces\. Deprecated: use LinkConfig\n/,
  );
  assert.match(
    out,
    /\n {2}dhcp +boolean +Enables DHCP\. Default: false\n/,
  );
  assert.match(out, /\n {2}bridgePort +object +.*\. Since 1\.9\n/);
  const disk = await run("explain machine.install.disk");
  assert.match(disk.out, /\nEXAMPLE:\n {2}disk: \/dev\/sda\n/);
  // Places in lists and keys of the user's choice may be named.
  for (const path of ["[0].routes[]", "[].routes"]) {
    const { out } = await run(`explain machine.network.interfaces${path}`);
    assert.match(out, /^FIELD: +machine\.network\.interfaces\.routes /m);
  }
});

Deno.test("explain shows a kind of document, a safety rule, or all there is", async () => {
  const link = await run("explain linkconfig");
  assert.match(link.out, /^DOCUMENT: {3}LinkConfig\nSUMMARY: /);
  assert.match(link.out, /\nEXAMPLE:.*\n {2}apiVersion: v1alpha1\n/);
  const rule = await run("explain s8");
  assert.match(
    rule.out,
    /^RULE: +S8\n(.*\n)*OVERRIDE: +--allow version-path\n$/,
  );
  const { out: copy } = await run("explain S14");
  assert.match(
    copy,
    /^OVERRIDE: +policy\.allow of a runbook: destroy-etcd-data$/m,
  );
  const { out } = await run("explain");
  assert.match(out, /^LinkConfig {24}/m);
  assert.match(out, /^S17 {31}/m);
  const json = await run("explain S4 -o json");
  assert.deepEqual(JSON.parse(json.out).allow, ["etcd-quorum"]);
});

const wrong: readonly (readonly [topic: string, error: string])[] = [
  [
    "LinkConfig.addreses",
    `error: Cannot explain "addreses": "LinkConfig" has no such key
hint: Did you mean "addresses"?
`,
  ],
  [
    "machin.network",
    `error: Cannot explain "machin": there is no such kind of document, key or safety rule
hint: Did you mean "machine"?
`,
  ],
  [
    "machine.install.disk.x",
    `error: Cannot explain "x": "machine.install.disk" has no such key
hint: "machine.install.disk" has no keys of its own
`,
  ],
];

for (const [topic, error] of wrong) {
  Deno.test(`explain ${topic} says what is wrong`, async () => {
    const { err, status } = await run(`explain ${topic}`);
    assert.equal(err.slice(0, error.length), error);
    assert.equal(status, 2);
  });
}

Deno.test("explain site.nodes shows the keys of a node of a site", async () => {
  const { out, status } = await run("explain site.nodes");
  assert.equal(status, 0);
  assert.match(
    out,
    /^DOCUMENT: {3}site\nFIELD: {6}nodes \(list of objects\)\nSUMMARY: {4}Nodes of the cluster\n\nKEYS:\n {2}host +name +Name; not set as host name. Required\n/,
  );
  const keys = [...out.matchAll(/^ {2}(\w+) {2,}(\S+( \S+)*)/gm)]
    .map(([, key, type]) => `${key}: ${type}`);
  assert.deepEqual(keys, [
    "host: name",
    "ip: IP address",
    "role: string",
    "data: map of any values",
    "talosVersion: version",
    "schematicId: schematic id",
    "factory: string",
    "platform: string",
    "secureboot: boolean",
    "extensions: list of names",
    "kernelArgs: list of strings",
    "overlay: object",
    "labels: map of strings",
    "groups: list of names",
  ]);
  const wrong = await run("explain site.groups.gpu.label");
  assert.equal(
    wrong.err,
    `error: Cannot explain "label": "site.groups.gpu" has no such key
hint: Did you mean "labels"?
`,
  );
});
