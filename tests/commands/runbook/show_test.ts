import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

const text = `apiVersion: osctl/v1
kind: Runbook
name: look
title: Look at nodes
docs: |
  Words.
inputs:
  soak: { type: duration, default: 1m, mutable: true, description: How long }
  who: { type: nodes, required: true }
  more: { type: int }
policy:
  allow: [{ rule: version-path }]
groups:
  all: {}
  some:
    role: worker
    names: "\${{ inputs.who }}"
    labels: { gpu: "yes" }
    where: node.ready
    from: all
    except: all
    take: 2
  both: { union: [all, some] }
steps:
  - id: start
    block:
      - { id: ok, gate: [cluster.health, etcd.quorum], within: 2m, when: 1 < 2 }
      - { id: go, approve: { tag: go, message: Go? } }
      - { id: really, approve: { tag: sure, message: Sure?, destructive: true } }
    rescue:
      - { id: wait, sleep: 5s }
  - id: each
    title: All of them
    forEach: { nodes: some, strategy: { batch: [1, 10%] } }
    steps:
      - { id: copy, run: config.backup }
      - { id: known, assert: { that: node.ready } }
  - { id: pick, decide: { name: first, value: 1 } }
  - { id: again, use: ./b.yaml }
`;
const used = `apiVersion: osctl/v1
kind: Runbook
name: used
title: Used
steps: [{ id: a, sleep: 1s }]
`;

Deno.test("runbook show tells what a runbook does", async () => {
  await withFolder({ "a.yaml": text, "b.yaml": used }, async (folder) => {
    const { out, err, status } = await run(`runbook show ${folder}/a.yaml`);
    assert.deepEqual([err, status], ["", 0]);
    assert.equal(
      out,
      `look: Look at nodes

Words.

Inputs:
  soak  duration  1m        How long
  who   nodes     required
  more  int

Nodes:
  all   nodes, by name
  some  the first 2 of the worker nodes named \${{ inputs.who }} in all labelled gpu=yes where node.ready but not in all, as listed
  both  nodes in all or some, as listed

Overrides: version-path

Steps:
  start            together
    ok             wait 2m for cluster.health, etcd.quorum, when 1 < 2
    go             ask (go)
    really         ask (sure, destructive)
    wait (rescue)  sleep 5s
  each             for each of some, 1, then 10% at once                All of them
    copy           run config.backup
    known          stop unless node.ready
  pick             decide first
  again            use used
`,
    );
  });
});

Deno.test("runbook show --source prints the text as it is", async () => {
  await withFolder({ "b.yaml": used }, async (folder) => {
    const { out } = await run(`runbook show ${folder}/b.yaml --source`);
    assert.equal(out, used);
  });
});

Deno.test("runbook show says what is wrong", async () => {
  const { err, status } = await run("runbook show rolling-upgrad");
  assert.equal(status, 2);
  assert.match(err, /There is no file "rolling-upgrad"/);
  assert.match(err, /Did you mean "rolling-upgrade"\?/);
});
