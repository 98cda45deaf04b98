import assert from "node:assert/strict";
import { book, finders, problems } from "../_finders.ts";

/** Lines from the fifth on, and what is wrong; `a.yaml:` is omitted. */
const wrong: readonly (readonly [text: string, ...expected: string[]])[] = [
  [
    "steps: [{ id: a, sleep: 1s }, { id: a, sleep: 1s }]",
    '5:37: Step id "a" is already used in line 5 (Give it another id)',
  ],
  [
    "steps: [{ id: a, sleep: 1s }]\nalways: [{ id: a, sleep: 1s }]",
    '6:16: Step id "a" is already used in line 5 (Give it another id)',
  ],
  [
    "steps:\n  - id: a\n    block: [{ id: b, sleep: 1s }]\n    rescue: [{ id: b, sleep: 1s }]",
    '8:20: Step id "b" is already used in line 7 (Give it another id)',
  ],
  [
    "steps:\n  - { id: a, decide: { name: x, value: 1 } }\n  - { id: b, decide: { name: x, value: 2 } }",
    '7:30: Decision name "x" is already used (Give it another name)',
  ],
  [
    "steps: [{ id: a, run: etcd.snapshto }]",
    '5:23: There is no module "etcd.snapshto" (Did you mean "etcd.snapshot"?)',
  ],
  [
    "steps: [{ id: a, gate: [{ check: cluster.helth }] }]",
    '5:34: There is no check "cluster.helth" (Did you mean "cluster.health"?)',
  ],
  [
    "steps: [{ id: a, gate: [quorum] }]",
    '5:25: There is no check "quorum" (Known: cluster.health, node.ready)',
  ],
  [
    "steps: [{ id: a, run: node.cordon }]",
    '5:9: "node.cordon" works on one node, but there is no node here (Put it into a forEach, or set with.node)',
  ],
  [
    "steps: [{ id: a, gate: [node.ready] }]",
    '5:25: "node.ready" works on one node, but there is no node here (Put it into a forEach, or set with.node)',
  ],
  [
    "steps: [{ id: a, run: etcd.snapshot, with: { artefact: x } }]",
    '5:44: "etcd.snapshot" needs "artifact" (Give a string)',
    '5:56: "artefact" is not an input of "etcd.snapshot" (Did you mean "artifact"?)',
  ],
  [
    "steps: [{ id: a, run: etcd.snapshot, with: { artifact: 1, within: 5, count: x, mode: slow } }]",
    '5:56: 1 is not a string (Write it in quotes: "1")',
    "5:67: 5 has no unit (Give a duration such as 90s or 1h30m)",
    '5:77: "x" is not a whole number (Give a whole number such as 3)',
    '5:86: "slow" is not one of the allowed values (Known: fast, safe)',
  ],
  [
    "steps: [{ id: a, run: etcd.snapshot, with: { artifact: x, parts: [{ siz: 1 }] } }]",
    '5:67: "size" is missing here (Give a whole number such as 3)',
    '5:74: There is no field "siz" here (Did you mean "size"?)',
  ],
  [
    "steps: [{ id: a, run: etcd.snapshot, with: { artifact: x, key: hush } }]",
    '5:64: The file contains a secret (Use an input of type "secret" instead)',
  ],
  [
    "groups: { workers: {} }\nsteps: [{ id: a, run: etcd.snapshot, with: { artifact: x, group: worker } }]",
    '6:66: There is no group "worker" (Did you mean "workers"?)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, retry: { attempts: 2, on: [busy] } }]",
    '5:63: "etcd.status" cannot be retried after "busy" (Give only unavailable, deadline)',
  ],
  [
    "steps: [{ id: a, run: upgrade.install, with: { node: n }, retry: { attempts: 2, on: [not-started, unavailable] } }]",
    '5:99: "upgrade.install" cannot be retried after "unavailable": running it twice is harmful (Give only not-started)',
  ],
  [
    "steps: [{ id: a, run: node.reboot, with: { node: n }, until: { condition: result.ok } }]",
    '5:62: "node.reboot" changes something, so it cannot be repeated (Use until with read-only modules, or wait in a gate)',
  ],
];
for (const [text, ...expected] of wrong) {
  Deno.test(`steps are wrong in their places: ${expected[0]}`, async () => {
    assert.deepEqual(
      await problems(book(text)),
      expected.map((line) => `a.yaml:${line}`),
    );
  });
}

const right = [
  "steps: [{ id: a, block: [{ id: a, sleep: 1s }] }]",
  "steps: [{ id: a, run: node.cordon, with: { node: n1 } }]",
  "steps: [{ id: a, gate: [{ check: node.ready, with: { node: n1 } }] }]",
  "per: node\nsteps: [{ id: a, run: node.cordon }]",
  "groups: { g: {} }\nsteps: [{ id: a, forEach: g, steps: [{ id: b, gate: { check: cluster.health, with: { group: self } } }] }]",
  "steps: [{ id: a, run: etcd.snapshot, with: { artifact: '${{ 1 }}', count: '${{ 1 }}', key: '${{ inputs.k }}', group: '${{ 1 }}' } }]",
  "steps: [{ id: a, run: upgrade.install, with: { node: n }, retry: { attempts: 2, on: [not-started] } }]",
];
for (const text of right) {
  Deno.test(`steps are right: ${text}`, async () => {
    assert.deepEqual(await problems(book(text)), []);
  });
}

Deno.test("rules: commands that are no steps are refused with the reason", async () => {
  const find = {
    ...finders,
    whyNoModule: (name: string) =>
      name === "edit" ? "it needs somebody who edits" : undefined,
  };
  const text = book(
    "steps: [{ id: a, run: edit }, { id: b, run: node.cordom, with: { node: n } }]",
  );
  assert.deepEqual(await problems(text, { find }), [
    'a.yaml:5:23: "edit" is not a step: it needs somebody who edits',
    'a.yaml:5:45: There is no module "node.cordom" (Did you mean "node.cordon"?)',
  ]);
});
