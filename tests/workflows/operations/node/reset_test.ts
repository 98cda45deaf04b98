import assert from "node:assert/strict";
import { ConnectError, RefusedError, RpcError } from "../../../../errors.ts";
import type { ClusterEtcd } from "../../../../workflows/etcd/etcd_facts.ts";
import type {
  NodeContext,
  Verdict,
} from "../../../../workflows/operations/operation.ts";
import {
  readMember,
  reset,
  type ResetInput,
  type ResetSeen,
  warnOfLeftovers,
} from "../../../../workflows/operations/node/reset.ts";
import { fakeContext } from "../_node_context.ts";
import { listing, runWalk } from "../_run_operation.ts";

const input: ResetInput = {
  graceful: true,
  reboot: false,
  scope: "all",
  userDisks: [],
  labels: [],
  insecure: false,
};

const state = {
  bootId: "1",
  stage: "running",
  ready: true,
  unmet: [],
  version: "v1.12.1",
};

const seen: ResetSeen = {
  ...state,
  systemDisk: "/dev/vda",
  partitions: ["EFI", "META", "STATE", "EPHEMERAL"],
  volumes: ["META", "STATE", "EPHEMERAL", "u-data"],
  partitionIds: { META: "a", STATE: "b", EPHEMERAL: "c" },
};

Deno.test("reset sees the system disk, its partitions and other volumes", async () => {
  const { context } = await fakeContext([state], 1_000, {
    get: ({ type }) => {
      const spec = type.startsWith("SystemDisks")
        ? { diskID: "vda", devPath: "/dev/vda" }
        : { stage: "running", status: { ready: true } };
      return { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
    },
    list: listing({
      DiscoveredVolumes: {
        vda: { type: "disk" },
        vda1: { parent: "vda", partition_label: "EFI" },
        vda2: { parent: "vda", partition_label: "META" },
        sdb1: { parent: "sdb", partition_label: "backup" },
      },
      VolumeStatuses: { META: { partitionUUID: "a" }, "u-data": {} },
    }),
  });
  assert.deepEqual(await reset.observe(context, input), {
    ...state,
    systemDisk: "/dev/vda",
    partitions: ["EFI", "META"],
    volumes: ["META", "u-data"],
    partitionIds: { META: "a" },
  });
});

Deno.test("reset: lists the lost partitions, META included by default", () => {
  const listLost = (changes: Partial<ResetInput>, known = seen) =>
    reset.plan(known, { ...input, ...changes }).map(({ loses }) => loses);
  assert.deepEqual(listLost({}), [
    "everything on /dev/vda (EFI, META, STATE, EPHEMERAL)",
  ]);
  assert.deepEqual(listLost({ userDisks: ["/dev/sdb"] }), [
    "everything on /dev/vda (EFI, META, STATE, EPHEMERAL)",
    "everything on /dev/sdb",
  ]);
  assert.deepEqual(listLost({ scope: "user-disks", userDisks: ["/dev/sdb"] }), [
    "everything on /dev/sdb",
  ]);
  assert.deepEqual(listLost({ labels: ["STATE", "EPHEMERAL", "u-data"] }), [
    "STATE (configuration)",
    "EPHEMERAL (etcd, images and data of pods)",
    "u-data",
  ]);
  const silent = { ...seen, systemDisk: undefined, partitions: [] };
  assert.deepEqual(listLost({}, silent), ["everything on the system disk"]);
});

Deno.test("a partition the node does not have, and a reset under way, are refused", () => {
  assert.throws(
    () => reset.plan(seen, { ...input, labels: ["STAET"] }),
    new RefusedError(
      'The node has no partition "STAET", only EFI, META, STATE, EPHEMERAL, u-data',
    ),
  );
  assert.throws(
    () => reset.plan({ ...seen, stage: "resetting" }, input),
    RefusedError,
  );
});

Deno.test("reset: the fate of the etcd member depends on the options", () => {
  const cases: readonly [Partial<ResetInput>, string][] = [
    [{}, "leaves-forever"],
    [{ labels: ["STATE"] }, "leaves-forever"],
    [{ labels: ["EPHEMERAL"] }, "leaves-forever"],
    [{ reboot: true }, "leaves-forever"],
    [{ reboot: true, labels: ["STATE"] }, "leaves-forever"],
    [{ reboot: true, labels: ["EPHEMERAL"] }, "leaves-and-rejoins"],
    [{ reboot: true, scope: "user-disks" }, "leaves-and-rejoins"],
    [{ graceful: false }, "dies"],
    [{ graceful: false, labels: ["EPHEMERAL"] }, "dies"],
    [{ graceful: false, labels: ["STATE"] }, "leaves-temporarily"],
    [{ graceful: false, scope: "user-disks" }, "leaves-temporarily"],
    [{ insecure: true }, "none"],
  ];
  for (const [changes, effect] of cases) {
    assert.equal(reset.quorum({ ...input, ...changes }), effect);
  }
});

Deno.test("reset sends exactly what was requested", async () => {
  const sent: unknown[] = [];
  const going = { ...state, stage: "resetting" };
  const { context } = await fakeContext([going], 60_000, {
    reset(request) {
      sent.push(request);
      return { messages: [{ actorId: "x" }] };
    },
    async *events() {},
  });
  const asked: ResetInput = {
    ...input,
    reboot: true,
    scope: "all",
    userDisks: ["/dev/sdb"],
    labels: ["EPHEMERAL"],
  };
  const { steps } = await runWalk(reset.apply(context, asked, { bootId: "1" }));
  assert.deepEqual(steps, [
    "the node has taken the request (actor x)",
    "the node is resetting",
  ]);
  assert.deepEqual(sent, [{
    graceful: true,
    reboot: true,
    systemPartitionsToWipe: [{ label: "EPHEMERAL", wipe: true }],
    userDisksToWipe: ["/dev/sdb"],
    mode: 0,
  }]);
  for (
    const [scope, mode] of [["system-disk", 1], ["user-disks", 2]] as const
  ) {
    await runWalk(reset.apply(context, { ...input, scope }, { bootId: "1" }));
    assert.equal((sent.at(-1) as { mode: number }).mode, mode);
  }
});

Deno.test("without a reboot the node has to be silent, in doubt it is checked", async () => {
  const away = new RpcError("UNAVAILABLE", "gone");
  const resetting = { ...state, stage: "resetting" };
  const { context } = await fakeContext([resetting, away], 60_000);
  const { verdict } = await runWalk(
    reset.verify(context, input, { bootId: "1" }),
  );
  assert.equal(verdict?.outcome, "done");
  const found = async (
    glance: typeof state | Error,
    acknowledged = false,
    bare?: () => unknown,
  ) => {
    const { context } = await fakeContext([glance], 600_000, {}, bare);
    const attempt = { acknowledged, steps: [] };
    return await reset.reconcile(context, input, { bootId: "1" }, attempt);
  };
  assert.equal(await found(resetting), "in-progress");
  assert.equal(await found(state), "not-started");
  // Silence and another boot may have other reasons; a node without its configuration was wiped.
  assert.equal(await found(away), "unknown");
  assert.equal(await found({ ...state, bootId: "2" }), "unknown");
  assert.equal(await found(away, true), "in-progress");
  const version = () => ({ messages: [{ version: { tag: "v1.12.1" } }] });
  assert.equal(await found(away, false, version), "in-progress");
});

const etcd: ClusterEtcd = {
  facts: {
    members: ["1", "2", "3"].map((id) => ({ id, name: id, learner: false })),
    healthy: ["1", "2"],
    alarms: [],
    leader: "1",
    silent: [],
    doubts: [],
    readAt: 0,
  },
  memberOf: new Map([["a", "1"]]),
};

/** A cluster of one control plane, `a`, whose etcd is as given. */
function context(node: string, readEtcd = () => Promise.resolve(etcd)) {
  const cluster = {
    readRole: (name: string) =>
      Promise.resolve(name === "a" ? "controlplane" : "worker"),
    readEtcd,
  };
  // Only what is checked.
  return { node, cluster } as unknown as NodeContext;
}

const lost = () => Promise.reject(new ConnectError("refused", "gone"));

async function* ending(outcome: Verdict["outcome"]) {
  yield { text: "waiting" };
  await Promise.resolve();
  return { outcome, reason: "off" };
}

async function readReport(
  member: string | undefined,
  outcome: Verdict["outcome"] = "done",
  readEtcd?: () => Promise<ClusterEtcd>,
) {
  const { steps, verdict } = await runWalk(
    warnOfLeftovers(context("a", readEtcd), member, ending(outcome)),
  );
  assert.deepEqual(steps, ["waiting"]);
  return verdict?.reason;
}

Deno.test("readMember is the member of a control plane, when a node reports it", async () => {
  assert.equal(await readMember(context("a")), "1");
  assert.equal(await readMember(context("b")), undefined);
  assert.equal(await readMember(context("a", lost)), undefined);
});

Deno.test("a member that stays in the list and is not well is named, with what takes it out", async () => {
  assert.equal(
    await readReport("3"),
    "off; etcd still lists its member, remove it with: osctl etcd remove-member 3",
  );
});

Deno.test("members that are healthy or removed, nodes that are not done, and unknown members are not reported", async () => {
  assert.equal(await readReport("2"), "off");
  assert.equal(await readReport("4"), "off");
  assert.equal(await readReport(undefined), "off");
  assert.equal(await readReport("3", "never-rebooted"), "off");
  assert.equal(await readReport("3", "done", lost), "off");
});
