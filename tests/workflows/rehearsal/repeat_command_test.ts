import assert from "node:assert/strict";
import { repeatCommand } from "../../../workflows/rehearsal/repeat_command.ts";
import { parseClusterSpec } from "../../../workflows/rehearsal/cluster_shape.ts";

const input = {
  runbook: "builtin:rolling-upgrade",
  input: ["version=v1.13.6"],
  inputs: undefined,
  secret: [],
  likeLive: false,
  allowCommands: false,
};
const run = {
  faults: ["runner: kill @ record 57"],
  cluster: parseClusterSpec("3cp+1w"),
  seed: 7,
};

Deno.test("one run is made again with its faults, its cluster and its seed", () => {
  assert.equal(
    repeatCommand(input, run),
    "osctl runbook rehearse builtin:rolling-upgrade --input version=v1.13.6 --cluster sim:3cp+1w,v1.13.4 --fault 'runner: kill @ record 57' --seed 7",
  );
});

Deno.test("words are quoted for a shell, and a file keeps its own faults", () => {
  const given = {
    ...input,
    runbook: "it's.rehearsal.yaml",
    input: ["message=a b"],
    inputs: "values.yaml",
    secret: ["key=@key.pem"],
    likeLive: true,
    allowCommands: true,
  };
  const faults = ["k8s: down", "runner: kill @ record 1"];
  assert.equal(
    repeatCommand(given, { ...run, faults }),
    "osctl runbook rehearse 'it'\\''s.rehearsal.yaml' --input 'message=a b' --inputs values.yaml --secret key=@key.pem --like-live --fault 'runner: kill @ record 1' --allow-commands --seed 7",
  );
});
