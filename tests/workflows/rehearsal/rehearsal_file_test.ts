import assert from "node:assert/strict";
import { readRehearsal } from "../../../workflows/rehearsal/rehearsal_file.ts";
import { RunbookError } from "../../../workflows/runbooks/language/problem.ts";

Deno.test("a rehearsal in a file has faults in every form, and how the run is to end", () => {
  const text = `
kind: Rehearsal
runbook: upgrade.runbook.yaml
cluster: sim:3cp+2w
inputs: { version: v1.13.6, soak: 2s }
faults:
  - "k8s: down for 5m"
  - node/worker-2: never-returns @ restart
  - { where: rpc/Upgrade, what: error UNAVAILABLE, times: 2 }
  - where: etcd/cp-3
    what: unhealthy
    at: controlplane/*
    for: 4m
matrix: [network, kill]
seed: 7
expect:
  status: 3
  done: [worker-1]
  failed: [worker-2]
`;
  assert.deepEqual(readRehearsal(text, "a.rehearsal.yaml"), {
    runbook: "upgrade.runbook.yaml",
    cluster: "sim:3cp+2w",
    inputs: { version: "v1.13.6", soak: "2s" },
    faults: [
      "k8s: down for 5m",
      "node/worker-2: never-returns @ restart",
      "rpc/Upgrade: error UNAVAILABLE times 2",
      "etcd/cp-3: unhealthy @ controlplane/* for 4m",
    ],
    matrices: ["kill", "network"],
    seed: 7,
    expect: {
      status: 3,
      buckets: { done: ["worker-1"], failed: ["worker-2"] },
    },
  });
});

Deno.test("rehearsal file: omitted keys are left to flags", () => {
  const text = "kind: Rehearsal\nrunbook: builtin:node-reboot\nmatrix: kill\n";
  assert.deepEqual(readRehearsal(text, "a.rehearsal.yaml"), {
    runbook: "builtin:node-reboot",
    inputs: {},
    faults: [],
    matrices: ["kill"],
  });
  const alone = `${text}faults: "k8s: down"\nexpect: { status: 0 }\n`;
  const { faults, expect } = readRehearsal(alone, "a.rehearsal.yaml");
  assert.deepEqual(faults, ["k8s: down"]);
  assert.deepEqual(expect, { status: 0, buckets: {} });
});

Deno.test("every problem is reported with its place and what would be right", () => {
  const text = `kind: Rehearsal
runbok: a.runbook.yaml
faults:
  - node/worker-2: never-return
  - { where: k8s, when: now }
expect: { status: ok }
`;
  assert.throws(() => readRehearsal(text, "a.yaml"), (error) => {
    assert.ok(error instanceof RunbookError);
    const reported = error.problems.map(({ place: { line }, message, hint }) =>
      `${line}: ${message} (${hint})`
    );
    assert.match(
      reported.join("\n"),
      /2: .*"runbok".*\(Did you mean "runbook"\?\)/,
    );
    assert.match(
      reported.join("\n"),
      /4: .*"never-return" is not a fault of node/,
    );
    assert.match(reported.join("\n"), /5: .*"when"/);
    assert.match(reported.join("\n"), /6: "ok"/);
    return true;
  });
  assert.throws(() => readRehearsal("", "a.yaml"), /The file is empty/);
});
