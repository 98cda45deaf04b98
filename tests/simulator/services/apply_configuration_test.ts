import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  type ClusterOptions,
  type RunningCluster,
  startCluster,
} from "../../../simulator/cluster.ts";
import { machineConfig } from "../../../simulator/machine_config.ts";
import type { NodeClient } from "../../../transport/client.ts";
import {
  type ApplyConfiguration,
  ApplyConfigurationRequest_Mode as Mode,
} from "../../../transport/gen/machine.ts";
import { MachineStatusEvent_MachineStage as Stage } from "../../../transport/gen/machine_events.ts";
import { withCluster } from "../../_cluster.ts";
import { storeIn } from "../../_store.ts";
import { testClient } from "../_client.ts";
import { manualClock } from "../_clock.ts";
import { clientOf, worker } from "../_faults.ts";
import { specs } from "../_resources.ts";

/** A quick cluster with a worker. */
function withWorker(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
  options: ClusterOptions = {},
): Promise<void> {
  const pace = { stopMs: 10, downMs: 0, installMs: 0 };
  return withCluster({ workers: 1, pace, ...options }, async (cluster) => {
    using client = clientOf(cluster);
    await test(client, cluster);
  });
}

interface Applied {
  readonly mode?: Mode;
  readonly dryRun?: boolean;
  readonly seconds?: number;
}

async function apply(
  client: NodeClient,
  text: string,
  { mode = Mode.AUTO, dryRun = false, seconds = 60 }: Applied = {},
): Promise<ApplyConfiguration> {
  const { messages } = await client.machine.applyConfiguration({
    data: new TextEncoder().encode(text),
    mode,
    dryRun,
    tryModeTimeout: { seconds: BigInt(seconds), nanos: 0 },
  });
  return messages[0]!;
}

/** Configurations the node shows. */
async function shown(client: NodeClient) {
  const { v1alpha1, persistent } = await specs(
    client,
    "MachineConfigs.config",
    "config",
  );
  return { active: String(v1alpha1), persistent: String(persistent) };
}

function configOf({ nodes }: RunningCluster): string {
  return machineConfig(nodes[1]!);
}

/** A change that takes effect at once. */
function withSysctl(text: string, value = "1"): string {
  return text.replace(
    "machine:\n",
    `machine:\n    sysctls:\n        vm.nr_hugepages: "${value}"\n`,
  );
}

/** A change of the node's address. */
function withAddress(text: string): string {
  return text.replace(
    /^ {4}network:.*\n/m,
    `    network:
        interfaces:
            - interface: eth0
              addresses:
                - 10.5.0.77/24
`,
  );
}

/** A change that needs a reboot. */
function withFile(text: string): string {
  return text.replace(
    "machine:\n",
    'machine:\n    udev:\n        rules:\n            - KERNEL=="x"\n',
  );
}

Deno.test("a change that needs no reboot takes effect at once, and stays", async () => {
  await withWorker(async (client, cluster) => {
    const { bootId } = cluster.nodes[1]!;
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
    assert.equal(cluster.nodes[1]!.bootId, bootId);
    await cluster.reboot(worker);
    assert.deepEqual(await shown(client), { active: text, persistent: text });
  });
});

Deno.test("a change that needs a reboot brings one in the mode auto, with the reason", async () => {
  await withWorker(async (client, cluster) => {
    const { bootId } = cluster.nodes[1]!;
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
    assert.notEqual(cluster.nodes[1]!.bootId, bootId);
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

Deno.test("a configuration on trial goes back by itself when its time is up", async () => {
  const clock = manualClock();
  await withWorker(async (client, cluster) => {
    const before = configOf(cluster);
    const text = withSysctl(before);
    const { mode, modeDetails } = await apply(client, text, {
      mode: Mode.TRY,
      seconds: 90,
    });
    assert.deepEqual([mode, modeDetails], [
      Mode.TRY,
      "Applied configuration without a reboot\nThe config is applied in 'try' mode and will be automatically reverted back in 1m30s",
    ]);
    assert.deepEqual(await shown(client), { active: text, persistent: before });
    await clock.advance(89_000);
    assert.equal((await shown(client)).active, text);
    await clock.advance(1_000);
    await cluster.settled();
    assert.deepEqual(await shown(client), {
      active: before,
      persistent: before,
    });
  }, { clock });
});

Deno.test("any other configuration ends a trial, even one that is refused", async () => {
  const clock = manualClock();
  await withWorker(async (client, cluster) => {
    const before = configOf(cluster);
    const tried = withSysctl(before);
    const isOver = async () => {
      await clock.advance(120_000);
      await cluster.settled();
      return (await shown(client)).active;
    };
    await apply(client, tried, { mode: Mode.TRY });
    await apply(client, tried, { mode: Mode.NO_REBOOT });
    assert.equal(await isOver(), tried);
    const second = withSysctl(before, "2");
    await apply(client, second, { mode: Mode.TRY });
    await assert.rejects(apply(client, "a: ["));
    assert.equal(await isOver(), second);
    assert.equal((await shown(client)).persistent, tried);
  }, { clock });
});

Deno.test("a trial of a trial goes back to the first", async () => {
  const clock = manualClock();
  await withWorker(async (client, cluster) => {
    const before = configOf(cluster);
    const [one, two] = [withSysctl(before, "1"), withSysctl(before, "2")];
    await apply(client, one, { mode: Mode.TRY });
    await apply(client, two, { mode: Mode.TRY });
    await clock.advance(60_000);
    await cluster.settled();
    assert.deepEqual(await shown(client), { active: one, persistent: before });
  }, { clock });
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

Deno.test("a new address on trial is given up when the time is up", async () => {
  const clock = manualClock();
  await withWorker(async (client, cluster) => {
    const text = withAddress(configOf(cluster));
    await assert.rejects(apply(client, text, { mode: Mode.TRY }), {
      code: "UNAVAILABLE",
    });
    using moved = clientOf(cluster, "10.5.0.77");
    await moved.machine.hostname({});
    await clock.advance(60_000);
    await cluster.settled();
    await client.machine.hostname({});
    await assert.rejects(moved.machine.hostname({}), { code: "UNAVAILABLE" });
  }, { clock });
});

Deno.test("two configurations at once are one too many", async () => {
  await withWorker(async (client, cluster) => {
    const text = withSysctl(configOf(cluster));
    // The first one waits for the disk.
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    cluster.nodes[1]!.save = () => {
      begin();
      return promise;
    };
    const first = apply(client, text);
    await begun;
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
    const { bootId } = cluster.nodes[1]!;
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
    assert.equal(cluster.nodes[1]!.bootId, bootId);
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
    const { bootId } = node;
    assert.equal((await apply(client, text)).modeDetails, "");
    await cluster.settled();
    assert.equal(node.stage, Stage.RUNNING);
    assert.notEqual(node.bootId, bootId);
    assert.equal(node.boot?.running.tag, "v1.12.3");
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
    const { bootId } = node;
    using bare = testClient({ endpoint: cluster.listening.get(worker)! });
    await apply(bare, text);
    await cluster.settled();
    assert.deepEqual([node.stage, node.bootId], [Stage.RUNNING, bootId]);
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
    assert.equal(cluster.nodes[1]!.stage, Stage.RUNNING);
  }, { unconfigured: (index) => index === 1, release: { tag: "v1.13.2" } });
});
