import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../../../transport/gen/machine.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { withCluster } from "../../_cluster.ts";
import { storeIn } from "../_cluster_store.ts";
import { testClient } from "../_client.ts";
import {
  apply,
  readConfigurations,
  withFile,
  withSysctl,
  withWorker,
  workerConfig,
} from "../_configuration.ts";
import { openClient, worker } from "../_faults.ts";

Deno.test("the mode reboot reboots, and nothing is applied meanwhile", async () => {
  await withWorker(async (client, cluster) => {
    await cluster.setFault(worker, "never-reboots", { calls: 1 });
    const text = withSysctl(workerConfig(cluster));
    const { mode, modeDetails } = await apply(client, text, {
      mode: Mode.REBOOT,
    });
    assert.deepEqual([mode, modeDetails], [
      Mode.REBOOT,
      "Applied configuration with a reboot",
    ]);
    await assert.rejects(
      apply(client, text),
      new RpcError(
        "FAILED_PRECONDITION",
        "configuration was already applied and node is rebooting, cannot apply more configuration changes until next reboot",
      ),
    );
    await client.machine.reboot({ mode: 2 });
    await cluster.settled();
    assert.equal((await apply(client, text)).mode, Mode.NO_REBOOT);
  });
});

Deno.test("a staged configuration waits for the next boot, also that of the process", async () => {
  const texts = new Map<string, string>();
  const options = { workers: 1, store: storeIn(texts) };
  const first = await startCluster(options);
  using client = openClient(first);
  const before = workerConfig(first);
  const text = withSysctl(before);
  const { mode, modeDetails } = await apply(client, text, {
    mode: Mode.STAGED,
  });
  assert.deepEqual([mode, modeDetails], [
    Mode.STAGED,
    "Staged configuration to be applied after the next reboot",
  ]);
  assert.deepEqual(await readConfigurations(client), {
    active: before,
    persistent: text,
  });
  await first.stop();
  await withCluster(options, async (cluster) => {
    using later = openClient(cluster);
    assert.deepEqual(await readConfigurations(later), {
      active: text,
      persistent: text,
    });
  });
});

Deno.test("two configurations at once are one too many", async () => {
  await withWorker(async (client, cluster) => {
    const text = withSysctl(workerConfig(cluster));
    // The first one waits for the disk.
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: startup, resolve: begin } = Promise.withResolvers<void>();
    cluster.nodes[1]!.save = () => {
      begin();
      return promise;
    };
    const first = apply(client, text);
    await startup;
    await assert.rejects(
      apply(client, text),
      new RpcError(
        "FAILED_PRECONDITION",
        "another apply configuration is already in progress",
      ),
    );
    resolve();
    assert.equal((await first).mode, Mode.NO_REBOOT);
  });
});

Deno.test("ApplyConfiguration: refuses unreadable, forbidden and unknown values", async () => {
  await withWorker(async (client, cluster) => {
    const before = workerConfig(cluster);
    const refusal = async (text: string) => {
      try {
        await apply(client, text);
      } catch (error) {
        assert.ok(error instanceof RpcError);
        return [error.code, error.message];
      }
      assert.fail("it was accepted");
    };
    assert.deepEqual(await refusal(""), [
      "INVALID_ARGUMENT",
      "config not found",
    ]);
    assert.deepEqual(
      await refusal(
        "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n",
      ),
      [
        "INVALID_ARGUMENT",
        "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?",
      ],
    );
    assert.deepEqual(
      await refusal(before.replace("type: worker", "type: boss")),
      [
        "INVALID_ARGUMENT",
        '1 error occurred:\n\t* line 5: v1alpha1: machine.type: Machine type "boss" does not exist\n\n',
      ],
    );
  });
});

Deno.test("a node of v1.14 applies everything at once, and knows no mode reboot", async () => {
  await withWorker(async (client, cluster) => {
    const { boot: { id: bootId } } = cluster.nodes[1]!;
    const text = withFile(workerConfig(cluster));
    await assert.rejects(
      apply(client, text, { mode: Mode.REBOOT }),
      new RpcError(
        "UNIMPLEMENTED",
        "the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead",
      ),
    );
    assert.equal((await apply(client, text)).mode, Mode.NO_REBOOT);
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.boot.id, bootId);
  }, { release: { tag: "v1.14.0" } });
});

Deno.test("a node without configuration takes one up to v1.12, installs what it says, and boots", async () => {
  const options = { controlplanes: 1, workers: 1 };
  await withWorker(async (_, cluster) => {
    const node = cluster.nodes[1]!;
    const text = workerConfig(cluster).replace(
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
      { code: "UNKNOWN", message: /^failed to parse config: / },
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

Deno.test("a node of v1.13 without configuration answers readers, and says what it did", async () => {
  await withWorker(async (_, cluster) => {
    const text = workerConfig(cluster);
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
