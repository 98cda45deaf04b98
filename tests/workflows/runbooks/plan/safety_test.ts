import assert from "node:assert/strict";
import type { Plan } from "../../../../workflows/runbooks/plan/plan.ts";
import {
  change,
  check,
  look,
  makeTextPlan,
  node,
  type Paper,
  unknownsIn,
  usual,
} from "./_plan_inputs.ts";

const modules = [
  change("touch"),
  change("reboot", { effect: "disrupt", quorum: "leaves-temporarily" }),
  change("reset", { effect: "destroy", quorum: "dies" }),
  change("etcd.leave", { effect: "destroy", quorum: "leaves-forever" }),
  change("etcd.forfeitLeadership"),
  look("etcd.snapshot", { scope: "cluster" }),
  look("make", {
    scope: "cluster",
    output: { ok: { type: "bool", summary: "Truth" } },
  }),
];

/** Verdicts, one line each. */
async function verdicts(
  text: string,
  paper: Paper = {},
): Promise<readonly string[]> {
  return formatSafety(await makeTextPlan(text, { modules, ...paper }));
}

function formatSafety({ safety }: Plan): readonly string[] {
  return safety.map(({ rule, state, path, node, reason }) =>
    [rule, state, path, node, reason].filter(Boolean).join(" ")
  );
}

const each = (role: string, ...runs: readonly string[]) => `
groups: { some: { role: ${role}, order: [name] } }
steps:
  - id: all
    forEach: { nodes: some, strategy: { batch: 1 } }
    steps:
${
  runs.map((run) =>
    `      - { id: ${run.replaceAll(".", "-")}, run: ${run} }\n`
  ).join("")
}`;

Deno.test("workers need no quorum, and what only writes needs none either", async () => {
  assert.deepEqual(await verdicts(each("worker", "reboot")), []);
  assert.deepEqual(await verdicts(each("controlplane", "touch")), []);
});

Deno.test("a quorum that would be lost is waited for, and one or two members are refused", async () => {
  const steps = each("controlplane", "etcd.forfeitLeadership", "reboot");
  const sick = { healthy: ["id-cp-1", "id-cp-2"] };
  assert.deepEqual(await verdicts(steps, { etcd: sick }), [
    "S1 waits all/reboot cp-1 etcd would lose its quorum: 3 voters, 2 healthy, quorum 2; without this one 1 (the runbook can allow etcd-quorum)",
    "S1 waits all/reboot cp-2 etcd would lose its quorum: 3 voters, 2 healthy, quorum 2; without this one 1 (the runbook can allow etcd-quorum)",
  ]);
  assert.deepEqual(await verdicts(steps, { nodes: [node("cp-1")] }), [
    "S3 refuses all/reboot cp-1 etcd has only one member: while it is down, so is the Kubernetes API (the runbook can allow single-member-downtime)",
  ]);
  const two = await verdicts(steps, { nodes: [node("cp-1"), node("cp-2")] });
  assert.equal(two.length, 2);
  assert.match(two[0] ?? "", /^S4 refuses all\/reboot cp-1 /);
  const leaving = await verdicts(each("controlplane", "etcd.leave"), {
    nodes: [node("cp-1")],
  });
  assert.match(
    leaving.join("\n"),
    /^S3 refuses all\/etcd-leave cp-1 it is the only etcd member/m,
  );
});

Deno.test("plan safety: the etcd leader goes last, unless its block forfeits leadership first", async () => {
  assert.deepEqual(await verdicts(each("controlplane", "reboot")), [
    "S5 waits all/reboot cp-1 cp-1 is the etcd leader now; run etcd.forfeitLeadership first",
  ]);
});

Deno.test("rules that are overridden are reported with their reason, and those that may be as decided at run time", async () => {
  const text = (when: string) => `
policy: { allow: [{ rule: single-member-downtime, ${when}reason: a lab }] }
inputs: { single: { type: bool, default: true } }
groups: { some: { role: controlplane } }
steps:
  - { id: make, run: make }
  - { id: all, forEach: some, steps: [{ id: r, run: reboot }] }
`;
  const nodes = [node("cp-1")];
  const on = ["S3 overridden a lab"];
  assert.deepEqual((await verdicts(text(""), { nodes })).slice(0, 1), on);
  assert.deepEqual(
    (await verdicts(text("when: inputs.single, "), { nodes })).slice(0, 1),
    on,
  );
  const [off = ""] = await verdicts(text('when: "!inputs.single", '), {
    nodes,
  });
  assert.match(off, /^S3 refuses /);
  const open = await makeTextPlan(text("when: steps.make.ok, "), {
    modules,
    nodes,
  });
  assert.match(formatSafety(open)[0] ?? "", /^S3 refuses /);
  assert.deepEqual(unknownsIn(open), [
    "allow/single-member-downtime when: steps.make.ok <- make",
  ]);
});

Deno.test("without the quorum none of the rules of etcd holds, and the leader need not hand over", async () => {
  const policy = "policy: { allow: [{ rule: etcd-quorum, reason: a lab }] }";
  assert.deepEqual(
    await verdicts(policy + each("controlplane", "reboot")),
    ["S1", "S2", "S3", "S4", "S5"].map((rule) => `${rule} overridden a lab`),
  );
});

Deno.test("checks of the way of versions and of images stand for their rules", async () => {
  const text = (allow: string) => `
policy: { allow: [${allow}] }
steps:
  - { id: g, gate: [{ check: upgrade.path }, { check: upgrade.imageIdentity }, { check: other }], within: 1m }
`;
  const checks = [
    check("upgrade.path", () => ({ ok: false, reason: "two steps" })),
    check("upgrade.imageIdentity", () => ({ ok: true, seen: "kept" })),
    check("other", () => ({ ok: false, reason: "no" })),
  ];
  assert.deepEqual(await verdicts(text(""), { checks }), [
    "S8 refuses g two steps",
    "S9 holds g kept",
  ]);
  assert.deepEqual(
    await verdicts(text("{ rule: version-path, reason: a lab }"), { checks }),
    ["S8 overridden a lab", "S9 holds g kept"],
  );
});

Deno.test("losing data requires an approval and a copy", async () => {
  const ask =
    "  - { id: ask, approve: { tag: a, message: M, destructive: true } }\n";
  const copy = "  - { id: copy, run: etcd.snapshot }\n";
  const reset =
    "  - { id: all, forEach: some, steps: [{ id: r, run: reset }] }\n";
  const text = (...steps: readonly string[]) =>
    `\ngroups: { some: { role: worker } }\nsteps:\n${steps.join("")}`;
  assert.deepEqual(await verdicts(text(copy, reset)), [
    "S14 refuses all/r no destructive approval precedes it",
  ]);
  assert.deepEqual(await verdicts(text(ask, reset)), [
    "S14 refuses all/r the data that would be lost is not copied first",
  ]);
  assert.deepEqual(await verdicts(text(ask, copy, reset)), [
    "S14 holds all/r a copy is made and an approval requested first",
  ]);
});

Deno.test("a node that is being reset must not be disturbed", async () => {
  const nodes = [...usual.slice(0, 4), node("w-5", { stage: "resetting" })];
  assert.deepEqual(await verdicts(each("worker", "reboot"), { nodes }), [
    "S17 refuses all/reboot w-5 w-5 is being reset, and a reboot would leave it partly wiped",
  ]);
});

Deno.test("a window that is closed is waited for", async () => {
  const text = (days: string) =>
    `\npolicy: { window: [{ days: [${days}], from: "10:00", to: "14:00", zone: UTC }] }${
      each("worker", "reboot")
    }`;
  assert.deepEqual(await verdicts(text("fri")), [
    "S16 holds a window is open now",
  ]);
  assert.deepEqual(await verdicts(text("mon")), [
    "S16 waits outside the window, which opens at Mon 10:00 UTC",
  ]);
});

Deno.test("the worst comes first", async () => {
  const text = `
policy: { window: [{ days: [mon], from: "10:00", to: "14:00", zone: UTC }], allow: [{ rule: degraded-etcd, reason: a lab }] }
groups: { some: { role: worker } }
steps:
  - { id: ask, approve: { tag: a, message: M, destructive: true } }
  - { id: copy, run: etcd.snapshot }
  - { id: g, gate: [{ check: upgrade.path }], within: 1m }
  - { id: all, forEach: some, steps: [{ id: r, run: reset }] }
`;
  const checks = [
    check("upgrade.path", () => ({ ok: false, reason: "two steps" })),
  ];
  const found = await verdicts(text, { checks });
  assert.deepEqual(found.map((line) => line.split(" ").slice(0, 2).join(" ")), [
    "S8 refuses",
    "S16 waits",
    "S1 overridden",
    "S14 holds",
  ]);
});
