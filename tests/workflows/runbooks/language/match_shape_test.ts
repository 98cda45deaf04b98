import assert from "node:assert/strict";
import { suggest } from "../../../../workflows/runbooks/language/match_shape.ts";
import { anyStep, book, problems } from "./_finders.ts";

/** Lines from the fifth on, and what is wrong; `a.yaml:` is omitted. */
const wrong: readonly (readonly [text: string, ...expected: string[]])[] = [
  [
    "a: 1\n" + anyStep,
    '5:1: Unknown key "a" (Known: apiVersion, kind, name, title, docs, per, requires, inputs, vars, policy, groups, steps, rescue, always, outputs)',
  ],
  ["stps: []\n" + anyStep, '5:1: Unknown key "stps" (Did you mean "steps"?)'],
  ["", '1:1: This runbook has no "steps" (Give a list of steps)'],
  ["steps:", '5:1: "steps" is empty (Give a list of steps)'],
  [
    "steps: []",
    "5:8: This list is empty (Give a mapping with the keys of step)",
  ],
  ["steps: {}", "5:8: This is a mapping (Give a list of steps)"],
  [
    "steps: [a]",
    "5:9: This is a single value (Give a mapping with the keys of step)",
  ],
  ["steps: [~]", "5:9: This is empty (Give a mapping with the keys of step)"],
  [
    "steps: [{ run: etcd.status }]",
    '5:9: This step has no "id" (Give an id of letters, digits, dashes and underscores such as canary-ok)',
  ],
  [
    "steps: [{ id: a b, run: etcd.status }]",
    '5:15: "a b" is not an id of letters, digits, dashes and underscores (Give an id of letters, digits, dashes and underscores such as canary-ok)',
  ],
  [
    "steps: [{ id: a }]",
    "5:9: This step does nothing (Give one of run, gate, approve, assert, decide, sleep, forEach, block, use)",
  ],
  [
    "steps: [{ id: a, rn: etcd.status }]",
    "5:9: This step does nothing (Give one of run, gate, approve, assert, decide, sleep, forEach, block, use)",
    '5:18: Unknown key "rn" (Did you mean "run"?)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, sleep: 5m }]",
    '5:36: This step has both "run" and "sleep" (Split it into two steps)',
  ],
  [
    "steps: [{ id: a, run: }]",
    '5:18: "run" is empty (Give a name with dots such as etcd.snapshot)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, within: 5m }]",
    '5:36: "within" cannot be combined with "run" (Use it with gate)',
  ],
  [
    "steps: [{ id: a, run: etcd status }]",
    '5:23: "etcd status" is not a name with dots (Give a name with dots such as etcd.snapshot)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, with: [] }]",
    "5:42: This is a list (Give a mapping)",
  ],
  [
    "steps: [{ id: a, run: etcd.status, timeout: 5 }]",
    "5:45: 5 has no unit (Give a duration such as 90s or 1h30m)",
  ],
  [
    "steps: [{ id: a, run: etcd.status, timeout: 5 minutes }]",
    '5:45: "5 minutes" is not a duration (Give a duration such as 90s or 1h30m)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, timeout: -5m }]",
    '5:45: "-5m" is negative (Give a duration such as 90s or 1h30m)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, onFailure: stop }]",
    '5:47: "stop" is not one of the allowed values (Known: fail, continue)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, pointOfNoReturn: yes }]",
    '5:53: "yes" is neither true nor false (Give true or false)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, when: '${{ inputs.x }}' }]",
    '5:42: Conditions are written without "${{ }}": "${{ inputs.x }}" (Give a condition such as node.role == \'worker\')',
  ],
  [
    "steps: [{ id: a, run: etcd.status, when: '' }]",
    "5:42: An empty condition (Give a condition such as node.role == 'worker')",
  ],
  [
    "steps: [{ id: a, run: etcd.status, retry: 0 }]",
    '5:43: "0" is not a whole number from 1 (Give a whole number from 1)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, retry: { on: [unavailble] } }]",
    '5:43: This retry has no "attempts" (Give a whole number from 1)',
    '5:50: "unavailble" is not one of the allowed values (Did you mean "unavailable"?)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, retry: { attempts: 2, backoff: { factor: 0.5, jitter: some } } }]",
    '5:77: "0.5" is not a number from 1 (Give a number from 1)',
    '5:90: "some" is not one of the allowed values (Known: full, none)',
  ],
  [
    "steps: [{ id: a, run: etcd.status, until: {} }]",
    "5:43: This until has no \"condition\" (Give a condition such as node.role == 'worker')",
  ],
  [
    "steps: [{ id: a, gate: [], within: 5m }]",
    "5:24: This list is empty (Give a name with dots such as etcd.snapshot, or a mapping)",
  ],
  [
    "steps: [{ id: a, gate: [{ chck: x }] }]",
    '5:25: This gateCheck has no "check" (Give a name with dots such as etcd.snapshot)',
    '5:27: Unknown key "chck" (Did you mean "check"?)',
  ],
  [
    "steps: [{ id: a, approve: {} }]",
    '5:27: This approve has no "tag" (Give a tag of letters, digits and dashes such as start)',
    '5:27: This approve has no "message" (Give a string)',
  ],
  [
    "steps: [{ id: a, assert: { message: x } }]",
    "5:26: This assert has no \"that\" (Give a condition such as node.role == 'worker')",
  ],
  [
    "steps: [{ id: a, decide: { name: a-b, value: 1 } }]",
    '5:34: "a-b" is not a name of letters, digits and underscores (Give a name of letters, digits and underscores such as drainTimeout)',
  ],
  [
    "steps: [{ id: a, sleep: [5m] }]",
    "5:25: This is a list (Give a duration such as 90s or 1h30m)",
  ],
  [
    "steps: [{ id: a, forEach: x }]",
    '5:9: This step has no "steps" (Give a list of steps)',
    '5:27: There is no group "x" (There are none)',
  ],
  [
    "groups: { x: {} }\nsteps: [{ id: a, forEach: { nodes: x, strategy: { bach: 1, maxFailures: 101% } }, steps: [{ id: b, run: node.cordon }] }]",
    '6:51: Unknown key "bach" (Did you mean "batch"?)',
    '6:73: "101%" is neither a number of nodes nor a percentage (Give a number such as 2, or a percentage such as 25%)',
  ],
  [
    "steps: [{ id: a, use: ./b.yaml, pass: all }]",
    '5:23: There is no file "b.yaml"',
    '5:39: "all" is not one of the allowed values (Known: same-named)',
  ],
  [
    "requires: { osctl: new, role: [], needs: [k8s] }\n" + anyStep,
    '5:20: "new" is not a range of versions (Give a range of versions such as >=1.0.0)',
    "5:31: This is a list (Give a string)",
    '5:43: "k8s" is not one of the allowed values (Known: kubernetes)',
  ],
  [
    "inputs: { x: { type: strin } }\n" + anyStep,
    '5:22: "strin" is not one of the allowed values (Did you mean "string"?)',
  ],
  [
    "inputs: { x-y: { type: int } }\n" + anyStep,
    '5:11: "x-y" is not a name of letters, digits and underscores (Give a name of letters, digits and underscores such as drainTimeout)',
  ],
  [
    "inputs: { x: {} }\n" + anyStep,
    '5:14: This input has no "type" (Give one of string, int, bool, duration, semver, enum, countOrPercent, path, node, nodes, secret)',
  ],
  [
    "inputs: { x: { type: string, pattern: '(' } }\n" + anyStep,
    '5:39: "(" is not a regular expression (Give a regular expression such as [a-z]+)',
  ],
  [
    "policy: { lock: all, membership: close, deadline: soon }\n" + anyStep,
    '5:17: "all" is not one of the allowed values (Known: cluster, none)',
    '5:34: "close" is not one of the allowed values (Known: open, frozen)',
    '5:51: "soon" is not a duration (Give a duration such as 90s or 1h30m)',
  ],
  [
    "policy: { window: [{ days: [tues], from: 24:00, to: 8pm, zone: Berlin }] }\n" +
    anyStep,
    '5:29: "tues" is not one of the allowed values (Did you mean "tue"?)',
    '5:42: "24:00" is not a time (Give a time such as 20:00)',
    '5:53: "8pm" is not a time (Give a time such as 20:00)',
    '5:64: "Berlin" is not a time zone (Give a time zone such as Europe/Berlin)',
  ],
  [
    "policy: { allow: [{ rule: quorum }] }\n" + anyStep,
    '5:27: "quorum" is not one of the allowed values (Known: degraded-etcd, etcd-quorum, single-member-downtime, version-path, image-identity, destroy-etcd-data)',
  ],
  [
    "groups: { g: { role: master, order: [zon], at: start, take: some } }\n" +
    anyStep,
    '5:22: "master" is not one of the allowed values (Known: controlplane, worker)',
    '5:38: "zon" is not one of the allowed values (Did you mean "zone"?)',
    '5:48: "start" is not one of the allowed values (Known: plan, entry)',
    '5:61: "some" is neither a number of nodes nor a percentage (Give a number such as 2, or a percentage such as 25%)',
  ],
  [
    "groups: { 1st: {} }\n" + anyStep,
    '5:11: "1st" is not a name of letters, digits, dashes and underscores (Give a name of letters, digits, dashes and underscores such as workers)',
  ],
  [
    "per: nodes\n" + anyStep,
    '5:6: "nodes" is not one of the allowed values (Did you mean "node"?)',
  ],
];

for (const [text, ...expected] of wrong) {
  const shown = text.split("\n")[0];
  Deno.test(`a runbook with ${shown || "no steps"} is wrong in its place`, async () => {
    assert.deepEqual(
      await problems(book(text)),
      expected.map((line) => `a.yaml:${line}`),
    );
  });
}

const heads: readonly (readonly [text: string, ...expected: string[]])[] = [
  ["", "1:1: The file is empty (Create one with: osctl runbook new)"],
  ["- a\n", "1:1: This is a list (Give a mapping with the keys of runbook)"],
  [
    "a: b: c\n",
    "1:5: Cannot read it: bad indentation of a mapping entry (Align the keys, and quote values with a colon or with @, % or ` in front)",
  ],
  [
    "a: 1\na: 2\n",
    '2:1: Cannot read it: "a" appears twice in one mapping (Keep one of them)',
  ],
  [
    "a: !ruby/object x\n",
    "1:4: Cannot read it: the tag !ruby/object is not supported here (Remove the tag)",
  ],
  [
    "a: &a { b: 1 }\nc: { <<: *a }\n",
    '2:6: Cannot read it: "<<" (merge keys) is not supported here (Write the keys out, or use an alias for the whole value)',
  ],
  [
    `${book(anyStep)}---\na: 1\n`,
    "7:1: A second document starts here (Put each runbook into its own file)",
  ],
  [
    book(anyStep).replace("osctl/v1", "osctl/v2"),
    '1:13: "osctl/v2" is not one of the allowed values (Did you mean "osctl/v1"?)',
  ],
  [
    book(anyStep).replace("kind: Runbook\n", ""),
    '1:1: This runbook has no "kind" (Give one of Runbook)',
  ],
  [
    book(anyStep).replace("name: test", "name: Test"),
    '3:7: "Test" is not a name of lowercase letters, digits and dashes (Give a name of lowercase letters, digits and dashes such as rolling-upgrade)',
  ],
];
for (const [text, ...expected] of heads) {
  Deno.test(`a file is wrong in its place: ${expected[0]}`, async () => {
    assert.deepEqual(
      await problems(text),
      expected.map((line) => `a.yaml:${line}`),
    );
  });
}

Deno.test("aliases that stand for too much are refused at once", async () => {
  const lines = Array.from({ length: 9 }, (_, i) => {
    const before = Array(9).fill(i === 0 ? "lol" : `*a${i - 1}`);
    return `a${i}: &a${i} [${before.join(",")}]`;
  });
  const [first, ...more] = await problems(lines.join("\n"));
  assert.match(first ?? "", /its aliases expand to too many values/);
  assert.deepEqual(more, []);
});

Deno.test("suggest names a near word, or what there is", () => {
  assert.equal(suggest("stpes", ["steps", "name"]), 'Did you mean "steps"?');
  assert.equal(suggest("x", ["steps", "name"]), "Known: steps, name");
  assert.equal(suggest("x", []), "There are none");
  const modules = ["etcd.snapshot", "node.cordon", "node.drain"];
  assert.equal(
    suggest("node.sweep", modules),
    "Known: node.cordon, node.drain",
  );
  const many = Array.from({ length: 21 }, (_, i) => `word${i}`);
  assert.match(suggest("x", many), /word19, …$/);
});
