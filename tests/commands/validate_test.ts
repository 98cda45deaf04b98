import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { run } from "../_run.ts";

const good = `machine:
  type: controlplane
  ca: {crt: QQ==, key: QQ==}
  install: {disk: /dev/sda}
  features: {hostDNS: {enabled: true, forwardKubeDNSToHost: true}}
cluster:
  ca: {crt: QQ==, key: QQ==}
  aggregatorCA: {crt: QQ==, key: QQ==}
  serviceAccount: {key: QQ==}
  controlPlane: {endpoint: "https://10.0.0.1:6443"}
  etcd: {ca: {crt: QQ==, key: QQ==}}
`;

Deno.test("validate shows a hundred problems, its rows all of them", async () => {
  const labels = Array.from({ length: 300 }, (_, i) => `    k${i}: -b\n`);
  const text = good.replace(
    "machine:\n",
    (machine) => `${machine}  nodeLabels:\n${labels.join("")}`,
  );
  await withFolder({ "a.yaml": text }, async (folder) => {
    const file = `${folder}/a.yaml`;
    const { err } = await run(`validate ${file} -m metal`);
    const lines = err.replaceAll(file, "a.yaml").split("\n");
    assert.equal(lines.length, 103);
    assert.match(lines[99] ?? "", /^a\.yaml:102:5: error: .*nodeLabels\.k99: /);
    assert.equal(lines[100], "a.yaml: 200 more; use -o json to see all");
    const { out } = await run(`validate ${file} -m metal -o jsonl`);
    assert.equal(JSON.parse(out).problems.length, 300);
  });
});

Deno.test("validate --help says what only a node can tell", async () => {
  const { out } = await run("validate --help");
  assert.match(out, /Facts of nodes are not checked: whether/);
});
