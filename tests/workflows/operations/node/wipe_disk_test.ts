import assert from "node:assert/strict";
import { RefusedError, RpcError } from "../../../../errors.ts";
import {
  wipeDisk,
  type WipeDiskInput,
} from "../../../../workflows/operations/node/wipe_disk.ts";
import type { FakeNode } from "../../../_fake.ts";
import { contextWith, listing, runWalk } from "../_run_operation.ts";

const input = {
  devices: ["vdb", "vdc1"],
  method: "FAST",
  dropPartition: false,
  skipVolumeCheck: false,
  skipSecondaryCheck: false,
} as const;

const disk = { type: "disk", size: 10_000_000_000, pretty_size: "10 GB" };
const part = { type: "partition", size: 5_000_000_000, pretty_size: "5.0 GB" };

const full = {
  vdb: { ...disk, name: "gpt", uuid: "u-b" },
  vdb1: {
    ...part,
    parent: "vdb",
    name: "xfs",
    label: "data",
    partition_uuid: "p-b1",
  },
  vdb2: { ...part, parent: "vdb", name: "", partition_label: "META" },
  vdc: { ...disk, name: "gpt", uuid: "u-c" },
  vdc1: {
    ...part,
    parent: "vdc",
    name: "luks",
    uuid: "u-c1",
    partition_uuid: "p-c1",
  },
};
const wiped = {
  vdb: { ...disk, name: "" },
  vdc: full.vdc,
  vdc1: { ...full.vdc1, name: "", uuid: undefined },
};
const marks = ["vdb gpt u-b", "vdc1 luks u-c1"];
const key = { marks, readable: true };

type Volumes = Record<string, Record<string, unknown>>;

/** Nodes are asked for it only where a flag needs it. */
const current: FakeNode = {
  version: () => ({ messages: [{ version: { tag: "v1.12.1" } }] }),
};

async function makeContext(volumes: Volumes, version: FakeNode = {}) {
  const { context } = await contextWith({
    list: listing({ DiscoveredVolumes: volumes }),
    ...version,
  });
  return context;
}

const hidden = {
  // deno-lint-ignore require-yield
  async *list() {
    throw await Promise.resolve(new RpcError("PERMISSION_DENIED", "no"));
  },
};

Deno.test("wipe disk names each device with its size and what is on it", async () => {
  const seen = await wipeDisk.observe(await makeContext(full), input);
  assert.deepEqual(wipeDisk.plan(seen, input), [
    {
      action: "wipe vdb",
      loses:
        'vdb: disk of 10 GB, gpt, with vdb1 (xfs "data", 5.0 GB), vdb2 (nothing known "META", 5.0 GB)',
    },
    { action: "wipe vdc1", loses: "vdc1: partition of 5.0 GB, luks" },
  ]);
  assert.deepEqual(wipeDisk.key(seen, input), key);
});

Deno.test("wipe disk refuses devices that are not there", async () => {
  await assert.rejects(
    wipeDisk.observe(await makeContext(full), { ...input, devices: ["vdx"] }),
    { message: 'Cannot wipe "vdx": there is no such device' },
  );
});

Deno.test("wipe disk says when the node does not report what is there", async () => {
  const { context } = await contextWith(hidden);
  const seen = await wipeDisk.observe(context, input);
  assert.deepEqual(wipeDisk.plan(seen, input)[0], {
    action: "wipe vdb",
    loses: "vdb: everything (the node does not report what is there)",
  });
  const unknown = wipeDisk.key(seen, input);
  assert.equal(await wipeDisk.reconcile(context, input, unknown), "unknown");
  const { verdict } = await runWalk(wipeDisk.verify(context, input, unknown));
  assert.equal(verdict?.outcome, "accepted");
});

Deno.test("wipe disk sends devices with method and checks", async () => {
  const asked: unknown[] = [];
  const { context } = await contextWith({
    blockDeviceWipe(request) {
      asked.push(request);
      return { messages: [{}] };
    },
  });
  await runWalk(wipeDisk.apply(context, {
    ...input,
    devices: ["vdb"],
    method: "ZEROES",
    dropPartition: true,
    skipSecondaryCheck: true,
  }, key));
  assert.deepEqual(asked, [{
    devices: [{
      device: "vdb",
      method: 1,
      skipVolumeCheck: false,
      dropPartition: true,
      skipSecondaryCheck: true,
    }],
  }]);
});

Deno.test("wipe disk is done when nothing is left of what was there", async () => {
  const verified = async (volumes: Volumes) =>
    (await runWalk(wipeDisk.verify(await makeContext(volumes), input, key)))
      .verdict;
  assert.deepEqual(await verified(wiped), {
    outcome: "done",
    reason: "wiped vdb, vdc1",
  });
  assert.deepEqual(await verified({ ...wiped, vdc1: full.vdc1 }), {
    outcome: "timed-out",
    reason: "still there: vdc1 luks u-c1",
  });
  // A kernel may know the partitions of a disk for longer than they are there.
  assert.equal(
    (await verified({ ...wiped, vdb1: full.vdb1 }))?.outcome,
    "done",
  );
  // A node may take an empty disk for a new volume at once.
  const anew = { vdb: { ...full.vdb, uuid: "u-new" } };
  assert.equal((await verified({ ...wiped, ...anew }))?.outcome, "done");
});

Deno.test("an attempt whose client died is told by what is left", async () => {
  const found = async (volumes: Volumes, marks = key.marks) =>
    await wipeDisk.reconcile(await makeContext(volumes), input, {
      ...key,
      marks,
    });
  assert.equal(await found(full), "not-started");
  assert.equal(await found({ ...wiped, vdc1: full.vdc1 }), "in-progress");
  assert.equal(await found(wiped), "done");
  assert.equal(await found(wiped, []), "not-started");
});

Deno.test("a partition that is dropped has to be gone itself", async () => {
  const dropping = { ...input, devices: ["vdc1"], dropPartition: true };
  const seen = await wipeDisk.observe(
    await makeContext(full, current),
    dropping,
  );
  assert.deepEqual(seen.marks, ["vdc1 luks u-c1", "partition vdc1 p-c1"]);
});

Deno.test("wipe disk refuses by name what an older node would leave out", async () => {
  const refusal = async (version: string, flags: Partial<WipeDiskInput>) => {
    const { context } = await contextWith({
      list: listing({ DiscoveredVolumes: full }),
      version: () =>
        version === ""
          ? Promise.reject(new RpcError("UNIMPLEMENTED", "not here"))
          : { messages: [{ version: { tag: version } }] },
    });
    const seen = wipeDisk.observe(context, { ...input, ...flags });
    return await seen.then(() => undefined, (error) => {
      assert.ok(error instanceof RefusedError);
      return error.message;
    });
  };
  const drop = { dropPartition: true } as const;
  const skip = { skipSecondaryCheck: true } as const;
  assert.deepEqual(
    [
      await refusal("v1.9.6", drop),
      await refusal("v1.10.0", skip),
      await refusal("v1.10.0", drop),
      await refusal("v1.11.0", skip),
      // Without a configuration, nodes up to v1.12 do not say.
      await refusal("", drop),
    ],
    [
      "--drop-partition needs v1.10 or later, and the node runs v1.9.6",
      "--skip-secondary-check needs v1.11 or later, and the node runs v1.10.0",
      undefined,
      undefined,
      undefined,
    ],
  );
});
