import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import { etcdRemove } from "../../../workflows/modules/etcd_member.ts";
import type { Json } from "../../../workflows/operation.ts";
import type { ClusterEtcd } from "../../../workflows/operations/etcd_facts.ts";
import type { StepSite } from "../../../workflows/runbooks/module.ts";

/** Runs the step; gives what it tells, what it performs, and its output. */
async function remove(
  member: string,
  names: Readonly<Record<string, string>>,
) {
  assert.ok(etcdRemove.kind === "command");
  const members = Object.entries(names).map(([id, name]) => ({
    id,
    name,
    learner: false,
  }));
  const facts = { members, healthy: [], alarms: [], leader: "", silent: [] };
  const readEtcd = () =>
    Promise.resolve({ facts, memberOf: new Map() } as unknown as ClusterEtcd);
  // Nothing else is looked at.
  const site = { cluster: { readEtcd } } as unknown as StepSite;
  const performed: Json[] = [];
  const steps = etcdRemove.run(site, { member }, (operation, input) => {
    performed.push({ [operation.name]: input });
    return Promise.resolve({ outcome: "done", reason: "" });
  });
  const told: string[] = [];
  while (true) {
    // One after the other, to the end.
    const { done, value } = await steps.next();
    if (done) return { told, performed, output: value };
    told.push(value.text);
  }
}

const three = {
  "00000000000000aa": "cp-1",
  "00000000000000bb": "cp-2",
  "00000000000000cc": "cp-3",
};

Deno.test("etcd.removeMember takes out the member of a name", async () => {
  assert.deepEqual(await remove("cp-2", three), {
    told: [],
    performed: [{ "etcd remove-member": { member: "00000000000000bb" } }],
    output: { member: "00000000000000bb" },
  });
});

Deno.test("etcd.removeMember lets the run find out what became of one that is gone already", async () => {
  assert.deepEqual(await remove("cp-9", three), {
    told: ['etcd lists no member "cp-9"'],
    performed: [{ "etcd remove-member": { member: "" } }],
    output: { member: "" },
  });
});

Deno.test("etcd.removeMember does not guess", async () => {
  await assert.rejects(
    () => remove("cp-1", { ...three, "00000000000000dd": "cp-1" }),
    {
      name: "ConfigError",
      message: '"cp-1" is the name of 2 members of etcd',
      hint: "Give the id of one",
    },
  );
  await assert.rejects(() => remove("cp-1", {}), (error) => {
    assert.ok(error instanceof OsctlError);
    assert.equal(error.message, "Cannot read the members of etcd");
    return true;
  });
});
