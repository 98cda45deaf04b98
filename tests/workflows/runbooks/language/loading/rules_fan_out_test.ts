import assert from "node:assert/strict";
import { book, type Files, problems } from "../_finders.ts";

const groups = "groups: { cp: { role: controlplane }, w: { role: worker } }";

function fanOut(forEach: string, step: string, ...more: string[]): string {
  return book(
    ...more,
    groups,
    `steps: [{ id: a, forEach: ${forEach}, steps: [${step}] }]`,
  );
}

const reboot = "{ id: r, run: node.reboot }";

const wrong: readonly (readonly [files: Files, ...expected: string[]])[] = [
  [
    { "a.yaml": fanOut("x", reboot) },
    'a.yaml:6:27: There is no group "x" (Did you mean "w"?)',
  ],
  [
    {
      "a.yaml": fanOut("w", `{ id: b, forEach: w, steps: [${reboot}] }`),
    },
    "a.yaml:6:56: A forEach is inside another forEach (Put the nodes into one group, or put one forEach after the other)",
  ],
  [
    { "a.yaml": fanOut("{ nodes: w, strategy: { batch: [1, 0%] } }", reboot) },
    "a.yaml:6:62: With 0% nodes at once nothing would start (Give 1 or more)",
  ],
  [
    {
      "a.yaml": fanOut(
        "{ nodes: w, strategy: { batch: 1, maxUnavailable: 0 } }",
        reboot,
      ),
    },
    "a.yaml:6:77: With 0 nodes at once nothing would start (Give 1 or more)",
  ],
  [
    { "a.yaml": fanOut("{ nodes: cp, strategy: { batch: 2 } }", reboot) },
    'a.yaml:6:59: "node.reboot" disrupts control planes; 2 of them at once is too many (Give 1)',
  ],
  [
    {
      "a.yaml": fanOut(
        "{ nodes: cp, strategy: { batch: [1, 50%], maxUnavailable: 3 } }",
        reboot,
      ),
    },
    'a.yaml:6:63: "node.reboot" disrupts control planes; 50% of them at once is too many (Give 1)',
    'a.yaml:6:85: "node.reboot" disrupts control planes; 3 of them at once is too many (Give 1)',
  ],
  [
    {
      "a.yaml": fanOut(
        "{ nodes: cp, strategy: { batch: 2 } }",
        "{ id: u, use: ./n.yaml }",
      ),
      "n.yaml": book("per: node", `steps: [{ id: b, block: [${reboot}] }]`),
    },
    'a.yaml:6:59: "node.reboot" disrupts control planes; 2 of them at once is too many (Give 1)',
  ],
  [
    {
      "a.yaml": book("steps: [{ id: u, use: ./n.yaml }]"),
      "n.yaml": book("per: node", `steps: [${reboot}]`),
    },
    'a.yaml:5:23: "test" works on one node, but there is no node here (Put it into a forEach)',
  ],
  [
    {
      "a.yaml": fanOut("w", "{ id: u, use: ./c.yaml }"),
      "c.yaml": book("steps: [{ id: s, run: etcd.status }]"),
    },
    'a.yaml:6:52: "test" works on the cluster and cannot be used inside a forEach (Move it out of the forEach)',
  ],
  [
    {
      "a.yaml": book(
        "inputs: { a: { type: int }, t: { type: string } }",
        "steps: [{ id: u, use: ./c.yaml, pass: same-named, with: { b: x, d: 1, e: 9 } }]",
      ),
      "c.yaml": book(
        "inputs: { a: { type: string }, b: { type: duration }, c: { type: int, required: true }, e: { type: int, max: 3 } }",
        "steps: [{ id: s, run: etcd.status }]",
      ),
    },
    'a.yaml:6:39: Input "a" is of type int here, and of type string in "test" (Use the same type, or pass the value under with)',
    'a.yaml:6:57: "test" needs "c" (Give a whole number such as 3)',
    'a.yaml:6:62: "x" is not a duration (Give a duration such as 90s or 1h30m)',
    'a.yaml:6:68: "d" is not an input of "test" (Did you mean "a"?)',
    "a.yaml:6:74: 9 is more than 3 (Give 3 or less)",
  ],
  [
    {
      "a.yaml": book("steps: [{ id: u, use: ./c.yaml }]"),
      "c.yaml": book(
        "policy: { allow: [{ rule: etcd-quorum }] }",
        "steps: [{ id: s, run: etcd.status }]",
      ),
    },
    'a.yaml:5:23: "test" overrides "etcd-quorum", but this runbook does not (Also list the rule under policy.allow here)',
  ],
  [
    { "a.yaml": fanOut("w", reboot, "policy: { lock: none }") },
    'a.yaml:5:17: "node.reboot" changes something, so the runbook needs a lock (Set lock: cluster)',
  ],
];
for (const [files, ...expected] of wrong) {
  Deno.test(`fan-outs are wrong in their places: ${expected[0]}`, async () => {
    assert.deepEqual(await problems(files), expected);
  });
}

const right: readonly string[] = [
  fanOut("{ nodes: cp, strategy: { batch: 1, maxUnavailable: 1 } }", reboot),
  fanOut("{ nodes: w, strategy: { batch: 50%, maxFailures: 0 } }", reboot),
  fanOut(
    "{ nodes: cp, strategy: { batch: 3 } }",
    "{ id: c, run: node.cordon }",
  ),
  fanOut("{ nodes: cp, strategy: { batch: '${{ 1 }}' } }", reboot),
  fanOut(
    "{ nodes: cp, strategy: { batch: 3 } }",
    reboot,
    "policy: { allow: [{ rule: etcd-quorum }] }",
  ),
  book("policy: { lock: none }", "steps: [{ id: s, run: etcd.status }]"),
];
for (const [index, text] of right.entries()) {
  Deno.test(`fan-outs are right: ${index}`, async () => {
    assert.deepEqual(await problems(text), []);
  });
}
