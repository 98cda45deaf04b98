import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  ApplyConfigurationRequest_Mode as Mode,
} from "../../../transport/gen/machine.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { testClient } from "../_client.ts";
import { apply, configOf, shown, withWorker } from "../_configuration.ts";
import { worker } from "../_faults.ts";

Deno.test("a node without configuration takes one up to v1.12, installs what it says, and boots", async () => {
  const options = { controlplanes: 1, workers: 1 };
  await withWorker(async (_, cluster) => {
    const node = cluster.nodes[1]!;
    const text = configOf(cluster).replace(
      /installer:v[\d.]+/,
      "installer:v1.12.3",
    );
    using client = testClient({ endpoint: cluster.listening.get(worker)! });
    const tries = [Mode.STAGED, Mode.NO_REBOOT].map((mode) =>
      assert.rejects(apply(client, text, { mode }), { code: "UNIMPLEMENTED" })
    );
    await Promise.all(tries);
    await assert.rejects(
      apply(client, "a: 1"),
      {
        code: "UNKNOWN",
        message: /^failed to parse config: /,
      },
    );
    const dry = await apply(client, text, { dryRun: true });
    assert.equal(
      dry.modeDetails,
      "Dry run summary:\nNode is running in maintenance mode and does not have a config yet.",
    );
    const { boot: { id: bootId } } = node;
    assert.equal((await apply(client, text)).modeDetails, "");
    await cluster.settled();
    assert.equal(node.boot.stage, Stage.RUNNING);
    assert.notEqual(node.boot.id, bootId);
    assert.equal(node.disk.bootEntries?.running.tag, "v1.12.3");
  }, { ...options, unconfigured: (index) => index === 1 });
});

Deno.test("a node that has a system already goes on without a reboot", async () => {
  await withWorker(async (client, cluster) => {
    const node = cluster.nodes[1]!;
    const text = configOf(cluster);
    await client.machine.reset({
      reboot: true,
      systemPartitionsToWipe: [{ label: "STATE", wipe: true }],
    });
    await cluster.settled();
    const { boot: { id: bootId } } = node;
    using bare = testClient({ endpoint: cluster.listening.get(worker)! });
    await apply(bare, text);
    await cluster.settled();
    assert.deepEqual([node.boot.stage, node.boot.id], [Stage.RUNNING, bootId]);
    assert.deepEqual(await shown(client), { active: text, persistent: text });
  });
});

Deno.test("a node of v1.13 without configuration answers readers, and says what it did", async () => {
  await withWorker(async (_, cluster) => {
    const text = configOf(cluster);
    using client = testClient({ endpoint: cluster.listening.get(worker)! });
    const { messages: [version] } = await client.machine.version({});
    assert.equal(version!.version!.tag, "v1.13.2");
    await assert.rejects(
      client.machine.reset({}),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
    const dry = await apply(client, text, { dryRun: true, mode: Mode.REBOOT });
    assert.equal(dry.mode, Mode.NO_REBOOT);
    assert.match(
      dry.modeDetails,
      /^Dry run summary:\nApplied configuration without a reboot \(skipped in dry-run\)\.\nConfig diff:\n\n--- a\n\+\+\+ b\n@@ -0,0 \+1,/,
    );
    const { mode, modeDetails } = await apply(client, text);
    assert.deepEqual([mode, modeDetails], [
      Mode.NO_REBOOT,
      "Applied configuration without a reboot",
    ]);
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.boot.stage, Stage.RUNNING);
  }, { unconfigured: (index) => index === 1, release: { tag: "v1.13.2" } });
});
