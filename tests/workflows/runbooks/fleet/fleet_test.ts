import assert from "node:assert/strict";
import { fleetProblems, head, load, parseFleet, small } from "./_fleets.ts";

Deno.test("fleet: defaults are as documented", async () => {
  assert.deepEqual(await parseFleet(small), {
    name: "fleet",
    image: "registry.example/osctl:1.4.0",
    waves: [{ name: "all", clusters: ["lab-1"], approve: false }],
    inputs: {},
    yes: [],
    parallel: 10,
    deadlineSeconds: 172_800,
    graceSeconds: 50,
    stateClaim: "osctl-runs",
    osconfigSecret: "osconfigs",
  });
});

Deno.test("a fleet is waves of clusters, inputs as they are typed, approvals, times and volumes", async () => {
  const text = `${head}name: june
image: osctl:1
waves:
  - { name: canary, clusters: lab-1, approve: true }
  - { name: rest, clusters: [b, c] }
  - { name: last, clusters: [d], approve: false }
inputs: { version: 1.14.1, batch: 25%, on: true, who: [w-1, w-2], any: ~ }
yes: start
parallel: 3
deadline: 90m
grace: 1500ms
volumes: { state: s, osconfigs: o, runbooks: r }
`;
  const file = await load(undefined, "a/demo.runbook.yaml");
  assert.deepEqual(await parseFleet(text, file), {
    name: "june",
    image: "osctl:1",
    waves: [
      { name: "canary", clusters: ["lab-1"], approve: true },
      { name: "rest", clusters: ["b", "c"], approve: true },
      { name: "last", clusters: ["d"], approve: false },
    ],
    inputs: { version: "1.14.1", batch: "25%", on: "true", who: "w-1,w-2" },
    yes: ["start"],
    parallel: 3,
    deadlineSeconds: 5_400,
    graceSeconds: 2,
    stateClaim: "s",
    osconfigSecret: "o",
    runbookMap: "r",
  });
});

Deno.test("a fleet is one document", async () => {
  assert.deepEqual(await fleetProblems(""), [
    "f.yaml:1:1: The file is empty (See docs/runbooks/fleet.md)",
  ]);
  assert.deepEqual(await fleetProblems(`${small}---\nkind: Fleet\n`), [
    "f.yaml:6:1: A second document starts here (Put each fleet into a file of its own)",
  ]);
});
