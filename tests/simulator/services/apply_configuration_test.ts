import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { startCluster } from "../../../simulator/cluster/cluster.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../../../transport/gen/machine.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { withCluster } from "../../_cluster.ts";
import { storeIn } from "../_store.ts";
import { testClient } from "../_client.ts";
import {
  apply,
  configOf,
  shown,
  withAddress,
  withFile,
  withSysctl,
  withWorker,
} from "../_configuration.ts";
import { clientOf, worker } from "../_faults.ts";
import { specs } from "../_resources.ts";

Deno.test("a change that needs no reboot takes effect at once, and stays", async () => {
  await withWorker(async (client, cluster) => {
    const { boot: { id: bootId } } = cluster.nodes[1]!;
    const text = withSysctl(configOf(cluster));
    for (const mode of [Mode.AUTO, Mode.NO_REBOOT]) {
      const { mode: done, modeDetails, warnings } = await apply(client, text, {
        mode,
      });
      assert.deepEqual([done, modeDetails, warnings], [
        Mode.NO_REBOOT,
        "Applied configuration without a reboot",
        [],
      ]);
    }
    assert.deepEqual(await shown(client), { active: text, persistent: text });
    assert.equal(cluster.nodes[1]!.boot.id, bootId);
    await cluster.reboot(worker);
    assert.deepEqual(await shown(client), { active: text, persistent: text });
  });
});

Deno.test("a change that needs a reboot brings one in the mode auto, with the reason", async () => {
  await withWorker(async (client, cluster) => {
    const { boot: { id: bootId } } = cluster.nodes[1]!;
    const text = withFile(configOf(cluster));
    const { mode, modeDetails } = await apply(client, text);
    assert.equal(mode, Mode.REBOOT);
    assert.ok(
      modeDetails.startsWith(
        "Applied configuration with a reboot: this config change can't be applied in immediate mode\ndiff:\n--- a\n+++ b\n@@ ",
      ),
      modeDetails,
    );
    const added = modeDetails.split("\n").filter((line) => /^[+-]/.test(line));
    assert.deepEqual(added.slice(2), [
      "+    udev:",
      "+        rules:",
      '+            - KERNEL=="x"',
    ]);
    await cluster.settled();
    assert.notEqual(cluster.nodes[1]!.boot.id, bootId);
    assert.deepEqual(await shown(client), { active: text, persistent: text });
  });
});

Deno.test("a change that needs a reboot is refused where none is wanted", async () => {
  await withWorker(async (client, cluster) => {
    const before = configOf(cluster);
    for (const mode of [Mode.NO_REBOOT, Mode.TRY]) {
      await assert.rejects(
        apply(client, withFile(withSysctl(before)), { mode }),
        (error) => {
          assert.ok(error instanceof RpcError);
          assert.equal(error.code, "INVALID_ARGUMENT");
          assert.match(
            error.message,
            /^this config change can't be applied in immediate mode\ndiff:\n--- a\n/,
          );
          // What could be applied is not part of the reason.
          assert.ok(!error.message.includes("sysctls"));
          return true;
        },
      );
    }
    assert.deepEqual(await shown(client), {
      active: before,
      persistent: before,
    });
  });
});

Deno.test("the mode reboot reboots, and nothing is applied meanwhile", async () => {
  await withWorker(async (client, cluster) => {
    await cluster.setFault(worker, "never-reboots", { calls: 1 });
    const text = withSysctl(configOf(cluster));
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
  using client = clientOf(first);
  const before = configOf(first);
  const text = withSysctl(before);
  const { mode, modeDetails } = await apply(client, text, {
    mode: Mode.STAGED,
  });
  assert.deepEqual([mode, modeDetails], [
    Mode.STAGED,
    "Staged configuration to be applied after the next reboot",
  ]);
  assert.deepEqual(await shown(client), { active: before, persistent: text });
  await first.stop();
  await withCluster(options, async (cluster) => {
    using later = clientOf(cluster);
    assert.deepEqual(await shown(later), { active: text, persistent: text });
  });
});

Deno.test("a dry run says what would be done, and does nothing", async () => {
  await withWorker(async (client, cluster) => {
    const before = configOf(cluster);
    const dry = async (text: string, mode: Mode) => {
      const { modeDetails, ...rest } = await apply(client, text, {
        mode,
        dryRun: true,
      });
      return [rest.mode, ...modeDetails.split("\n")];
    };
    assert.deepEqual(await dry(before, Mode.AUTO), [
      Mode.NO_REBOOT,
      "Dry run summary:",
      "Applied configuration without a reboot (skipped in dry-run).",
      "Config diff:",
      "",
      "No changes.",
    ]);
    const [mode, , sentence, , , from, to, , ...lines] = await dry(
      withFile(before),
      Mode.AUTO,
    );
    assert.deepEqual([mode, sentence, from, to], [
      Mode.REBOOT,
      "Applied configuration with a reboot (skipped in dry-run).",
      "--- a",
      "+++ b",
    ]);
    assert.ok(lines.includes('+            - KERNEL=="x"'));
    assert.deepEqual(await shown(client), {
      active: before,
      persistent: before,
    });
  });
});

Deno.test("a new host name is the node's at once, wherever it is shown", async () => {
  await withWorker(async (client, cluster) => {
    const text = configOf(cluster).replaceAll("simulated-worker-1", "renamed");
    await apply(client, text, { mode: Mode.NO_REBOOT });
    const { messages } = await client.machine.hostname({});
    assert.equal(messages[0]!.hostname, "renamed");
    assert.deepEqual(
      await specs(client, "HostnameStatuses.net", "network"),
      { hostname: { hostname: "renamed", domainname: "" } },
    );
    const members = await specs(client, "Members.cluster", "cluster");
    assert.deepEqual(Object.keys(members), [
      "renamed",
      "simulated-controlplane-1",
    ]);
    const statuses = await specs(client, "NodeStatuses.kubernetes", "k8s");
    assert.deepEqual(Object.keys(statuses), ["renamed"]);
    await cluster.reboot(worker);
    assert.equal(cluster.nodes[1]!.identity.hostname, "renamed");
  });
});

Deno.test("a new address loses the reply, and the node is where it says", async () => {
  await withWorker(async (client, cluster) => {
    const text = withAddress(configOf(cluster));
    await assert.rejects(
      apply(client, text, { mode: Mode.NO_REBOOT }),
      new RpcError("UNAVAILABLE", "error reading from server: EOF"),
    );
    await assert.rejects(client.machine.hostname({}), { code: "UNAVAILABLE" });
    using moved = clientOf(cluster, "10.5.0.77");
    assert.equal((await shown(moved)).persistent, text);
    const addresses = await specs(moved, "AddressStatuses.net", "network");
    assert.deepEqual(Object.keys(addresses), [
      "eth0/10.5.0.77/24",
      "lo/127.0.0.1/8",
    ]);
  });
});

Deno.test("two configurations at once are one too many", async () => {
  await withWorker(async (client, cluster) => {
    const text = withSysctl(configOf(cluster));
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

Deno.test("reply-lost on ApplyConfiguration applies it", async () => {
  await withWorker(async (client, cluster) => {
    await cluster.setFault(worker, "reply-lost", {
      method: "ApplyConfiguration",
      calls: 1,
    });
    const text = withSysctl(configOf(cluster));
    await assert.rejects(apply(client, text), { code: "UNAVAILABLE" });
    assert.equal((await shown(client)).active, text);
  });
});

Deno.test("what a node cannot read, does not allow, or does not know is refused", async () => {
  await withWorker(async (client, cluster) => {
    const before = configOf(cluster);
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

Deno.test("only administrators apply", async () => {
  await withWorker(async (_, cluster) => {
    const identity = await cluster.identify(["os:operator"]);
    using client = testClient({ endpoint: cluster.endpoints[0]!, identity });
    await assert.rejects(
      apply(client, configOf(cluster)),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
  });
});

Deno.test("a node of v1.14 applies everything at once, and knows no mode reboot", async () => {
  await withWorker(async (client, cluster) => {
    const { boot: { id: bootId } } = cluster.nodes[1]!;
    const text = withFile(configOf(cluster));
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

Deno.test("a node that has a system already continues without a reboot", async () => {
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
