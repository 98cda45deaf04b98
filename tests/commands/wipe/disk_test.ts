import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { FakeNode } from "../../_fake.ts";
import { withFolder } from "../../_folder.ts";
import { type Ran, run, type RunOptions } from "../../_run.ts";
import { listing } from "../../workflows/operations/_run_operation.ts";
import { listJournals } from "../../../workflows/operations/journal_file.ts";
import { members } from "../_machine.ts";

/** A node whose disk vdb is empty once it was wiped, and what was asked of it. */
function disk(handlers: FakeNode = {}) {
  const asked: unknown[] = [];
  let name = "ext4";
  const node: FakeNode = {
    list: (request) =>
      listing({
        DiscoveredVolumes: {
          vdb: { type: "disk", pretty_size: "10 GB", name, uuid: "u" },
        },
      })(request),
    blockDeviceWipe(request) {
      asked.push(...request.devices);
      name = "";
      return { messages: [{}] };
    },
    ...handlers,
  };
  return { asked, node };
}

/** A node that is asked for nothing but what is on it. */
function withoutWipe(): FakeNode {
  const { blockDeviceWipe: _, ...node } = disk().node;
  return node;
}

const workers = members({ a: "worker", b: "worker", c: "worker" });

async function ran(
  line: string,
  nodes: Record<string, FakeNode>,
  options: RunOptions = {},
): Promise<Ran & { readonly journals: readonly string[] }> {
  let ended: Ran | undefined;
  let journals: readonly string[] = [];
  await withFolder({}, async (folder) => {
    const env = { OS_HOME: folder, OSCONFIG: `${folder}/config` };
    ended = await run(line, nodes, {
      ...options,
      env: { ...env, ...options.env },
    });
    const all = await listJournals(`${folder}/operations`);
    journals = all.map(({ history }) => JSON.stringify(history.begin.input));
  });
  assert.ok(ended);
  return { ...ended, journals };
}

Deno.test("wipe disk shows what is lost, wipes, and is done when it is gone", async () => {
  const { asked, node } = disk();
  const { out, err, status, journals } = await ran(
    "wipe disk /dev/vdb vdb --method zeroes --yes -n a",
    { a: node, "": workers },
  );
  assert.equal(
    out,
    `NODE   OUTCOME   REASON
a      done      wiped vdb
`,
  );
  assert.equal(
    err,
    `NODE   ROLE     ETCD   LOST
a      worker   -      vdb: disk of 10 GB, ext4
03:04:05 a: wiping vdb
`,
  );
  assert.equal(status, 0);
  assert.deepEqual(asked, [{
    device: "vdb",
    method: 1,
    skipVolumeCheck: false,
    dropPartition: false,
    skipSecondaryCheck: false,
  }]);
  assert.deepEqual(journals, [
    '{"devices":["vdb"],"method":"ZEROES","dropPartition":false,"skipVolumeCheck":false,"skipSecondaryCheck":false}',
  ]);
});

Deno.test("wipe disk -o jsonl carries node, outcome and reason", async () => {
  const { out } = await ran("wipe disk vdb --yes -n a -o jsonl", {
    a: disk().node,
    "": workers,
  });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    outcome: "done",
    reason: "wiped vdb",
  });
});

Deno.test("wipe disk sends nothing without a confirmation, or to default nodes", async () => {
  const unasked = await ran("wipe disk vdb -n a", {
    a: withoutWipe(),
    "": workers,
  });
  assert.match(unasked.err, /error: "wipe disk" needs a confirmation/);
  assert.equal(unasked.status, 5);
  const { err, status } = await ran("wipe disk vdb --yes", { a: {} });
  assert.match(err, /error: "wipe disk" does not run on the default nodes/);
  assert.equal(status, 5);
});

Deno.test("wipe disk asks nothing of scripts of talosctl", async () => {
  const { status } = await ran("wipe disk vdb", { a: disk().node }, {
    env: { OSCTL_COMPAT: "peer" },
  });
  assert.equal(status, 0);
});

Deno.test("wipe disk still wipes on the healthy nodes when one refuses", async () => {
  const no = () =>
    Promise.reject(new RpcError("FAILED_PRECONDITION", "in use by a volume"));
  const { out, err, status } = await ran(
    "wipe disk vdb --yes -n a,b,c -o jsonpath={.node}",
    {
      a: disk().node,
      b: disk({ blockDeviceWipe: no }).node,
      c: disk().node,
      "": workers,
    },
  );
  assert.equal(out, "a\nc\n");
  assert.match(err, /^error: b: failed: in use by a volume$/m);
  assert.equal(status, 3);
});

Deno.test("wipe disk --insecure leaves no journal, since it could not be resumed", async () => {
  const { journals, status } = await ran("wipe disk vdb -i --yes -n a", {
    a: {
      ...disk().node,
      get: () => Promise.reject(new RpcError("NOT_FOUND", "no such resource")),
    },
    "": members({}),
  });
  assert.deepEqual({ journals, status }, { journals: [], status: 0 });
});

Deno.test("wipe disk refuses methods and names that are none", async () => {
  const method = await run("wipe disk vdb --method slow");
  assert.match(method.err, /--method/);
  assert.equal(method.status, 2);
  const path = await run("wipe disk /dev/disk/by-id/x");
  assert.match(path.err, /not a device name such as vda or sda5/);
  assert.equal(path.status, 2);
  assert.equal((await run("wipe disk")).status, 2);
});
