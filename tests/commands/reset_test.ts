import assert from "node:assert/strict";
import type { FakeNode, FakeNodes } from "../_fake.ts";
import { run, runOn } from "../_run.ts";
import { listing } from "../workflows/operations/_run_operation.ts";
import { withHome } from "./_home.ts";
import { beginning, machine, members } from "./_machine.ts";

const partitions = listing({
  DiscoveredVolumes: {
    vda1: { parent: "vda", partition_label: "META" },
    vda2: { parent: "vda", partition_label: "EPHEMERAL" },
  },
});

/** A node that is in another boot as soon as it is asked to reset. */
function wipeable(handlers: FakeNode = {}) {
  const { reboot, ...node } = machine().node;
  const sent: unknown[] = [];
  return {
    sent,
    node: {
      ...node,
      get(request: { readonly type: string }) {
        if (!request.type.startsWith("SystemDisks")) return node.get?.(request);
        const spec = { diskID: "vda", devPath: "/dev/vda" };
        return { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
      },
      list: partitions,
      events: beginning("actor"),
      reset(request: unknown) {
        sent.push(request);
        return reboot?.(request);
      },
      ...handlers,
    },
  };
}

const workers = members({ a: "worker", b: "worker", c: "worker" });

function reset(line: string, nodes: FakeNodes, env: Record<string, string>) {
  return runOn(`reset ${line}`, { ...nodes, "": workers }, { env });
}

Deno.test("reset shows what is lost, and ends when the node starts again", async () => {
  await withHome(async (env) => {
    const a = wipeable();
    const { out, err, status } = await reset(
      "--nodes a --yes --reboot --system-labels-to-wipe EPHEMERAL",
      { a: a.node },
      env,
    );
    assert.equal(
      out,
      `NODE   OUTCOME   REASON
a      done      ready, v1.12.1, with its configuration
`,
    );
    assert.match(
      err,
      /^a +worker +- +EPHEMERAL \(etcd, images and data of pods\)$/m,
    );
    assert.deepEqual(a.sent, [{
      graceful: true,
      reboot: true,
      systemPartitionsToWipe: [{ label: "EPHEMERAL", wipe: true }],
      userDisksToWipe: [],
      mode: 0,
    }]);
    assert.equal(status, 0);
  });
});

Deno.test("a reset of everything whose node comes back with its configuration has failed", async () => {
  await withHome(async (env) => {
    const { out, err, status } = await reset(
      "-n a --yes --reboot",
      { a: wipeable().node },
      env,
    );
    assert.equal(out, "");
    assert.match(
      err,
      /^a +worker +- +everything on \/dev\/vda \(META, EPHEMERAL\)$/m,
    );
    assert.match(
      err,
      /^error: a: failed: the node has rebooted and was not wiped$/m,
    );
    assert.equal(status, 1);
  });
});

Deno.test("reset -o jsonl carries node, outcome and reason", async () => {
  await withHome(async (env) => {
    const { out } = await reset(
      "-n a --yes --wait=false --graceful=false --system-labels-to-wipe META,EPHEMERAL -o jsonl",
      { a: wipeable().node },
      env,
    );
    assert.deepEqual(JSON.parse(out), {
      node: "a",
      outcome: "accepted",
      reason: "accepted by the node",
    });
  });
});

Deno.test("reset is not done without a question, nor to the default nodes", async () => {
  await withHome(async (env) => {
    const unnamed = await run("reset --yes", {}, { env });
    assert.match(
      unnamed.err,
      /does not run on the default nodes of the context/,
    );
    assert.equal(unnamed.status, 5);
    const { reset: _, events: _events, ...node } = wipeable().node;
    const unasked = await reset("-n a", { a: node }, env);
    assert.match(unasked.err, /"reset" needs a confirmation/);
    assert.equal(unasked.status, 5);
  });
});

Deno.test("reset refuses a partition that is not there, and sends nothing", async () => {
  await withHome(async (env) => {
    const { reset: _, events: _events, ...node } = wipeable().node;
    const { err, status } = await reset(
      "-n a --yes --system-labels-to-wipe STATE",
      { a: node },
      env,
    );
    assert.match(
      err,
      /error: a: refused: The node has no partition "STATE", only META, EPHEMERAL/,
    );
    assert.equal(status, 5);
  });
});

Deno.test("reset refuses flags that contradict each other", async () => {
  const cases = [
    ["--wipe-mode user-disks", /needs disks to wipe/],
    [
      "--wipe-mode user-disks --user-disks-to-wipe /dev/sdb --system-labels-to-wipe META",
      /--system-labels-to-wipe cannot be used with --wipe-mode user-disks/,
    ],
    [
      "--wipe-mode system-disk --user-disks-to-wipe /dev/sdb",
      /--user-disks-to-wipe cannot be used with --wipe-mode system-disk/,
    ],
    [
      "--insecure --system-labels-to-wipe META",
      /--system-labels-to-wipe cannot be used with --insecure/,
    ],
    ["--insecure", /--insecure needs --wait=false/],
    ["--wipe-mode everything", /--wipe-mode/],
  ] as const;
  for (const [line, message] of cases) {
    const { err, status } = await runOn(`reset -n a ${line}`);
    assert.match(err, message);
    assert.equal(status, 2, line);
  }
});
