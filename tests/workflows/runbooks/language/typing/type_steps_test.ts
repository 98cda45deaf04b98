import assert from "node:assert/strict";
import { problems } from "./_finders.ts";

const head = `
apiVersion: osctl/v1
kind: Runbook
name: a
title: A
inputs:
  file: { type: path }
  limit: { type: duration, default: 1m }
  key: { type: secret }
groups: { all: { role: worker } }
`;

async function findAll(steps: string): Promise<readonly string[]> {
  return (await problems(head + steps)).map((line) =>
    line.replace(/^a\.yaml:(\d+):\d+: /, (_, at) => `${at - 11}: `)
  );
}

Deno.test("there is a node inside of a fan-out, and a map by nodes behind it", async () => {
  assert.deepEqual(
    await findAll(`steps:
  - id: each
    forEach: { nodes: all, strategy: { batch: [1, "\${{ size(groups.all) }}"], maxFailures: "\${{ inputs.limit }}" } }
    steps:
      - { id: copy, when: node.ready, run: etcd.copyDatabase }
      - { id: see, when: "steps.copy.revision > 1", run: etcd.copyDatabase }
  - { id: out, when: node.ready, run: etcd.assess }
  - { id: all, run: etcd.chooseSource, with: { candidates: "\${{ steps.each.copy }}" } }
  - { id: one, when: "steps.each.copy['n1'].revision > 1", run: etcd.assess }
  - { id: bad, when: "steps.each.copy['n1'].revison > 1", run: etcd.assess }
`),
    [
      '2: It is a duration, and a number or a percentage such as 25% is required, in "${{ inputs.limit }}"',
      '6: Unknown name "node", in "node.ready" (In scope here: inputs, vars, groups, cluster, steps, decisions)',
      '9: "steps.each.copy.n1" has no "revison", in "steps.each.copy[\'n1\'].revison > 1" (Did you mean "revision"?)',
    ],
  );
});

Deno.test("an optional input is there behind a condition that asks for it", async () => {
  assert.deepEqual(
    await findAll(`steps:
  - { id: a, when: has(inputs.file), run: etcd.bootstrapFromSnapshot, with: { node: n, file: "\${{ inputs.file }}" } }
  - { id: b, run: etcd.bootstrapFromSnapshot, with: { node: n, file: "\${{ inputs.file }}" } }
  - id: c
    when: cluster.name != "" && has(inputs.file)
    block:
      - { id: d, run: etcd.snapshot, with: { artifact: "x\${{ inputs.file }}" } }
`),
    [
      '2: "inputs.file" may be absent, and a path is required, in "${{ inputs.file }}" (Check has(inputs.file) first, or give the input a default)',
    ],
  );
});

Deno.test("every place of a step is checked", async () => {
  const bad = '"${{ nix }}"';
  const lines = await findAll(`steps:
  - { id: a, run: etcd.assess, timeout: ${bad} }
  - { id: b, run: ca.verify, until: { condition: result.okay == 1, poll: ${bad}, timeout: ${bad} } }
  - { id: c, gate: [{ check: nodes.version, with: { version: ${bad} }, when: nix }], within: ${bad}, holdFor: ${bad} }
  - { id: d, approve: { tag: t, message: ${bad}, typed: ${bad}, timeout: ${bad} } }
  - { id: e, assert: { that: nix, message: ${bad} } }
  - { id: f, decide: { name: f, value: ${bad} } }
  - { id: g, sleep: ${bad} }
`);
  const counts = lines.map((line) => line.slice(0, line.indexOf(" ("))).map((
    line,
  ) => line.replace(/, in .*/, ""));
  assert.deepEqual(counts, [
    ...[
      "1",
      "2",
      "2",
      "2",
      "3",
      "3",
      "3",
      "3",
      "4",
      "4",
      "4",
      "5",
      "5",
      "6",
      "7",
    ]
      .map((line, index) =>
        index === 1
          ? '2: "result" has no "okay"'
          : `${line}: Unknown name "nix"`
      ),
  ]);
});

Deno.test("secrets are not mixed with anything", async () => {
  assert.deepEqual(
    await findAll(`steps:
  - { id: a, run: ca.generate, with: { kind: os, use: "\${{ inputs.key }}" } }
  - { id: b, run: ca.generate, with: { kind: "\${{ steps.a.ca }}" } }
  - { id: c, run: etcd.snapshot, with: { artifact: "x\${{ inputs.key }}" } }
  - { id: d, decide: { name: d, value: "\${{ steps.a.ca }}" } }
`),
    [
      '2: A secret cannot be used here, in "${{ steps.a.ca }}" (Only secret inputs accept a secret)',
      '3: "inputs.key" may be absent, in "x${{ inputs.key }}" (Check has(inputs.key) first, or give the input a default)',
      '4: A secret cannot be used here, in "${{ steps.a.ca }}" (Only secret inputs accept a secret)',
    ],
  );
});

Deno.test("type steps: outputs of a fan-out are selected by step, then by node, and their fields are known", async () => {
  const each = `steps:
  - id: each
    forEach: all
    steps: [{ id: copy, run: etcd.copyDatabase }, { id: wait, sleep: 1s }]
  - id: next
    forEach: all
    steps: [{ id: see, when: "CONDITION", run: etcd.copyDatabase }]
`;
  const conditionProblems = async (condition: string) =>
    (await findAll(each.replace("CONDITION", condition)))
      .map((line) => line.replace(/, in ".*" \(/, " ("));
  assert.deepEqual(
    await conditionProblems("steps.each[node.name].copy.bogus == 1"),
    [
      '6: "steps.each" has steps, and each of them has results per node (Name the step first: steps.each.copy[node.name])',
    ],
  );
  assert.deepEqual(
    await conditionProblems("steps.each.copy[node.name].bogus == 1"),
    ['6: "steps.each.copy[…]" has no "bogus" (It has: file, revision)'],
  );
  assert.deepEqual(
    await conditionProblems("steps.each.copy[node.name].revision == 1"),
    [],
  );
  assert.match(
    (await conditionProblems("steps.each.copy[0].revision == 1"))[0] ?? "",
    /^6: Keys of "steps.each.copy" are strings/,
  );
  assert.match(
    (await conditionProblems("groups.all[node.name].ready"))[0] ?? "",
    /^6: Elements of "groups.all" are numbered from 0/,
  );
  assert.deepEqual(await conditionProblems("groups[node.zone][0].ready"), []);
  assert.match(
    (await conditionProblems("groups[node.zone][0].redy"))[0] ?? "",
    /has no "redy"/,
  );
});
