import assert from "node:assert/strict";
import { fleetProblems, head, load, runbook, small } from "./_fleets.ts";

Deno.test("clusters and waves have names of their own", async () => {
  const text = `${head}image: a
waves:
  - { name: one, clusters: [a, b, a] }
  - { name: one, clusters: b }
  - { name: batch, clusters: [c] }
  - { name: osctl-image, clusters: [d] }
`;
  assert.deepEqual(await fleetProblems(text), [
    'f.yaml:5:35: Duplicate cluster "a" (List each once)',
    'f.yaml:6:7: Duplicate wave "one" (List each once)',
    'f.yaml:6:18: Duplicate cluster "b" (List each once)',
    'f.yaml:7:7: Wave "batch" has the name of an input of the runbook (Give it another name)',
    'f.yaml:8:7: Wave "osctl-image" has the name of the parameter for the image (Give it another name)',
  ]);
});

Deno.test("inputs are those of the runbook, of their types, and can be typed", async () => {
  const text = `${small}inputs:
  version: latest
  batc: 1
  key: hidden
  any: "\${{ inputs.version }}"
  who: ["a,b"]
`;
  assert.deepEqual(await fleetProblems(text), [
    'f.yaml:6:3: Input "version": "latest" is not a version (Give a version such as v1.13.4)',
    'f.yaml:7:3: There is no input "batc" (Did you mean "batch"?)',
    'f.yaml:8:3: Input "key" is a secret (Secrets are not given to a fleet)',
    'f.yaml:9:3: Input "any": Expressions are not allowed here (Give a value)',
    'f.yaml:10:3: Input "who" cannot be given on the command line (Use a runbook of your own that contains the value)',
  ]);
  assert.deepEqual(
    await fleetProblems(`${small}inputs: { any: "{{workflow.uid}}" }\n`),
    [
      'f.yaml:5:11: Input "any": Expressions are not allowed here (Give a value)',
    ],
  );
});

Deno.test("inputs that the runbook needs are there; secrets cannot be", async () => {
  const needing = await load(
    runbook.replace("{ type: semver }", "{ type: semver, required: true }")
      .replace("{ type: secret }", "{ type: secret, required: true }"),
  );
  assert.deepEqual(
    await fleetProblems(`${small}inputs: { version: ~ }\n`, needing),
    [
      'f.yaml:5:1: Input "version" of the runbook is missing (Give a version such as v1.13.4)',
      'f.yaml:5:1: Input "key" of the runbook is missing (Secrets are not given to a fleet; run the runbook on each cluster yourself)',
    ],
  );
  assert.equal((await fleetProblems(small, needing)).length, 2);
});

Deno.test("approvals are those of the runbook that lose no data", async () => {
  assert.deepEqual(await fleetProblems(`${small}yes: [start, wipe, strt]\n`), [
    'f.yaml:5:14: Approval "wipe" is destructive (Approve it in each run, with osctl runbook approve)',
    'f.yaml:5:20: The runbook asks for no approval "strt" (Did you mean "start"?)',
  ]);
});

Deno.test("a runbook that is a file comes from a volume, with all its files in one folder", async () => {
  const using = runbook.replace(
    "steps:\n",
    "steps:\n  - { id: inner, use: ./sub/inner.runbook.yaml }\n",
  );
  const inner =
    "apiVersion: osctl/v1\nkind: Runbook\nname: inner\ntitle: I\nsteps: [{ id: a, sleep: 1s }]\n";
  const given = await load(using, "a/demo.runbook.yaml", {
    "a/sub/inner.runbook.yaml": inner,
  });
  assert.deepEqual(await fleetProblems(small, given), [
    'f.yaml:1:1: The runbook is a file, and no volume holds "a/demo.runbook.yaml" (Put it into a ConfigMap, and name that under volumes.runbooks)',
  ]);
  assert.deepEqual(
    await fleetProblems(`${small}volumes: { runbooks: r }\n`, given),
    [
      'f.yaml:5:1: A ConfigMap has no folders, and "a/sub/inner.runbook.yaml" is in another one (Put all files of the runbook into one folder)',
    ],
  );
});
