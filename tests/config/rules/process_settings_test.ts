import assert from "node:assert/strict";
import { runtimeSpecRules } from "../../../config/rules/process_settings.ts";
import { ruleContext, testRules } from "./_rules.ts";

const place = "machine.baseRuntimeSpecOverrides";

function spec(text: string): string {
  return `machine: {baseRuntimeSpecOverrides: ${text}}`;
}

testRules("runtimeSpecRules", runtimeSpecRules, [
  [
    "takes settings of all types",
    spec(
      "{hostname: a, process: {args: [a, ~], noNewPrivileges: true, oomScoreAdj: -5, rlimits: [{type: a, hard: 1024}]}, linux: {sysctl: {a: '1'}}, other: [1]}",
    ),
    [],
  ],
  ["takes null", spec("{process: ~, hostname: ~}"), []],
  [
    "takes whole numbers however they are written",
    spec("{process: {user: {uid: 0x10, gid: 1.0, umask: 1_8}}}"),
    [],
  ],
  [
    "takes the largest number",
    spec("{process: {rlimits: [{hard: 18446744073709551615}]}}"),
    [],
  ],
  [
    "refuses numbers out of range",
    spec(
      "{process: {user: {uid: -1, gid: 4294967296}, rlimits: [{hard: 18446744073709551616}]}}",
    ),
    [
      `error ${place}.process.user.uid: uid of the OCI runtime spec is "-1", not a whole number from 0 to 4294967295`,
      `error ${place}.process.user.gid: gid of the OCI runtime spec is "4294967296", not a whole number from 0 to 4294967295`,
      `error ${place}.process.rlimits[0].hard: hard of the OCI runtime spec is "18446744073709551616", not a whole number from 0 to 18446744073709551615`,
    ],
  ],
  [
    "refuses other types",
    spec("{HostName: 5, process: {oomScoreAdj: '5', terminal: 1, cwd: []}}"),
    [
      `error ${place}.HostName: HostName of the OCI runtime spec is "5", not a string`,
      `error ${place}.process.oomScoreAdj: oomScoreAdj of the OCI runtime spec is "5", not a whole number from -9223372036854775808 to 9223372036854775807`,
      `error ${place}.process.terminal: terminal of the OCI runtime spec is "1", not true or false`,
      `error ${place}.process.cwd: cwd of the OCI runtime spec is a collection, not a string`,
    ],
  ],
  ["refuses fractions", spec("{hooks: {prestart: [{timeout: 1.5}]}}"), [
    `error ${place}.hooks.prestart[0].timeout: timeout of the OCI runtime spec is "1.5", not a whole number from -9223372036854775808 to 9223372036854775807`,
  ]],
  [
    "wants collections where they belong",
    spec("{process: [], mounts: {}, linux: {resources: {rdma: {a: b}}}}"),
    [
      `error ${place}.process: process of the OCI runtime spec is not a mapping`,
      `error ${place}.mounts: mounts of the OCI runtime spec is not a list`,
      `error ${place}.linux.resources.rdma.a: a of the OCI runtime spec is not a mapping`,
    ],
  ],
]);

Deno.test("runtimeSpecRules says how a text is written", () => {
  const context = ruleContext(spec("{hostname: 5, process: []}"), "metal");
  const root = context.documents[0]?.cursor;
  assert.ok(root);
  assert.deepEqual([...runtimeSpecRules(root)].map(({ hint }) => hint), [
    "Put the value in quotes",
    "Write a mapping",
  ]);
});
