import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import {
  MachineStatusEvent,
  MachineStatusEvent_MachineStage as Stage,
  SequenceEvent,
  TaskEvent,
} from "../../../transport/gen/machine_events.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { withCluster } from "../../_cluster.ts";
import { clientOf, worker } from "../_faults.ts";
import { specs } from "../_resources.ts";

const schematic = "c0ffee".padEnd(64, "0");
const image = "ghcr.io/siderolabs/installer:v1.12.99";
const before = "Talos-v1.12.11.efi";
const after = "Talos-v1.12.99.efi";

/** A quick cluster with a worker. */
function withWorker(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  const pace = { stopMs: 10, downMs: 0, installMs: 0, panicMs: 0 };
  return withCluster({ workers: 1, pace }, async (cluster) => {
    using client = clientOf(cluster);
    await test(client, cluster);
  });
}

async function tagOf(client: NodeClient): Promise<string> {
  const { messages: [version] } = await client.machine.version({});
  return version!.version!.tag;
}

/** What a boot loader variable says, read as a user reads it. */
async function variable(client: NodeClient, name: string): Promise<string> {
  const path =
    `/sys/firmware/efi/efivars/${name}-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f`;
  const bytes: number[] = [];
  for await (const part of client.machine.read({ path })) {
    bytes.push(...part.bytes);
  }
  const text = new TextDecoder("utf-16le").decode(
    new Uint8Array(bytes).slice(4),
  );
  assert.equal(text.at(-1), "\0");
  return text.slice(0, -1);
}

Deno.test("Upgrade installs the version of its image, boots it, and keeps the one before", async () => {
  await withWorker(async (client, cluster) => {
    const { boot: { id: bootId } } = cluster.nodes[1]!;
    assert.equal(await variable(client, "LoaderEntryDefault"), before);
    const { messages } = await client.machine.upgrade({
      image: `factory.talos.dev/metal-installer/${schematic}:v1.12.99`,
    });
    assert.equal(messages[0]!.ack, "Upgrade request received");
    assert.match(messages[0]!.actorId, /^[0-9a-f-]{36}$/);
    await cluster.settled();
    assert.equal(await tagOf(client), "v1.12.99");
    assert.notEqual(cluster.nodes[1]!.boot.id, bootId);
    assert.deepEqual(await specs(client, "Versions.runtime"), {
      version: { version: "v1.12.99" },
    });
    assert.deepEqual(await specs(client, "BootedEntries"), {
      bootedentry: { bootedEntry: after },
    });
    const extensions = await specs(client, "ExtensionStatuses.runtime");
    assert.equal(
      (extensions["0"] as { metadata: { version: string } }).metadata.version,
      schematic,
    );
    assert.equal(await variable(client, "LoaderEntryDefault"), after);
    assert.equal(await variable(client, "LoaderEntrySelected"), after);
    assert.deepEqual(await specs(client, "MetaKeys.runtime"), {});
    const members = await specs(client, "Members.cluster", "cluster");
    assert.equal(
      (members["simulated-worker-1"] as { operatingSystem: string })
        .operatingSystem,
      "Talos (v1.12.99)",
    );
  });
});

Deno.test("an image that does not say what it was made from leaves no schematic", async () => {
  await withWorker(async (client, cluster) => {
    await client.machine.upgrade({ image });
    await cluster.settled();
    assert.deepEqual(await specs(client, "ExtensionStatuses.runtime"), {});
  });
});

Deno.test("Upgrade reports its sequence, its installation and its stages", async () => {
  await withWorker(async (client, cluster) => {
    const seen: string[] = [];
    let actor = "";
    for await (const { data, actorId } of client.machine.events({})) {
      if (actor === "") {
        const { messages } = await client.machine.upgrade({ image });
        actor = messages[0]!.actorId;
        continue;
      }
      const { typeUrl, value } = data!;
      if (typeUrl.endsWith("MachineStatusEvent")) {
        const { stage } = MachineStatusEvent.decode(value);
        seen.push(stage === Stage.UPGRADING ? "upgrading" : "rebooting");
      } else if (typeUrl.endsWith("SequenceEvent")) {
        seen.push(SequenceEvent.decode(value).sequence);
      } else if (typeUrl.endsWith("TaskEvent")) {
        const { task, action } = TaskEvent.decode(value);
        assert.equal(actorId, actor);
        if (action === 0) seen.push(task);
      }
    }
    await cluster.settled();
    assert.deepEqual(seen, [
      "upgrading",
      "upgrade",
      "cordonAndDrainNode",
      "stopAllPods",
      "stopDBus",
      "stopServicesForUpgrade",
      "unmountPodMounts",
      "unmountSystemDiskBindMounts",
      "unmountEphemeralPartition",
      "teardownLifecycle",
      "upgrade",
      "reloadMeta",
      "rebooting",
      "kexecPrepare",
      "stopAllServices",
    ]);
  });
});

Deno.test("Upgrade refuses images that are none, and none of installers", async () => {
  await withWorker(async (client) => {
    for (
      const [name, why] of [
        ["", 'failed to parse image reference "": invalid reference format'],
        [
          "docker.io/library/nginx:1",
          "installer help returned non-zero exit. assuming invalid installer",
        ],
      ] as const
    ) {
      await assert.rejects(
        client.machine.upgrade({ image: name }),
        new RpcError(
          "UNKNOWN",
          `error validating installer image "${name}": ${why}`,
        ),
      );
    }
  });
});

Deno.test("image-missing is found before anything is stopped", async () => {
  await withWorker(async (client, cluster) => {
    await cluster.setFault(worker, "image-missing");
    const { boot: { id: bootId } } = cluster.nodes[1]!;
    await assert.rejects(
      client.machine.upgrade({ image }),
      new RpcError(
        "UNKNOWN",
        `error validating installer image "${image}": 1 error(s) occurred:\n\tfailed to pull image "${image}": failed to resolve reference "${image}": ${image}: not found`,
      ),
    );
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.boot.id, bootId);
  });
});

Deno.test("Upgrade with stage reboots into a boot that installs, and boots again", async () => {
  await withWorker(async (client, cluster) => {
    const node = cluster.nodes[1]!;
    const boots = new Set<string>();
    const saved: (readonly (readonly [number, string])[])[] = [];
    node.save = () => {
      boots.add(node.boot.id);
      saved.push(
        [...node.disk.meta].map(([key, value]) =>
          [key, new TextDecoder().decode(value)] as const
        ),
      );
      return Promise.resolve();
    };
    await client.machine.upgrade({ image, stage: true, preserve: true });
    await cluster.settled();
    boots.add(node.boot.id);
    assert.equal(boots.size, 3);
    assert.deepEqual(saved[0], [
      [7, image],
      [8, '{"Pull":false,"Force":false,"Upgrade":true,"Zero":false}'],
    ]);
    assert.deepEqual(saved[1], []);
    assert.deepEqual(saved[2], [[6, before]]);
    assert.equal(await tagOf(client), "v1.12.99");
    assert.deepEqual(await specs(client, "MetaKeys.runtime"), {});
  });
});

Deno.test("Upgrade of one of two control planes is refused, unless it is forced or data stays", async () => {
  const pace = { stopMs: 10, downMs: 0, installMs: 0 };
  await withCluster({ controlplanes: 2, pace }, async (cluster) => {
    using client = clientOf(cluster, "10.5.0.3");
    await assert.rejects(
      client.machine.upgrade({ image }),
      new RpcError(
        "UNKNOWN",
        "error validating etcd for upgrade: etcd member count(2) is insufficient to maintain quorum if upgrade commences",
      ),
    );
    await client.machine.upgrade({ image, force: true });
    await cluster.settled();
    assert.equal(await tagOf(client), "v1.12.99");
  });
});

Deno.test("an upgrade that is under way lets no reboot in between", async () => {
  await withWorker(async (client, cluster) => {
    // Its pods take their time.
    await cluster.setFault(worker, "never-reboots", { calls: 1 });
    await client.machine.upgrade({ image });
    const { messages: [refused] } = await client.machine.reboot({});
    const node = cluster.nodes[1]!;
    const errors: string[] = [];
    for (let at = 0; at < node.boot.events.end(); at++) {
      const { typeUrl, actorId, payload } = node.boot.events.at(at);
      if (actorId !== refused!.actorId) continue;
      assert.ok(typeUrl.endsWith(".SequenceEvent"));
      errors.push(SequenceEvent.decode(payload()).error!.message);
    }
    assert.deepEqual(errors, ["sequence not started: locked"]);
    assert.equal(node.boot.stage, Stage.UPGRADING);
  });
});

Deno.test("Rollback boots the version before, and once more the one behind", async () => {
  await withWorker(async (client, cluster) => {
    await client.machine.upgrade({ image });
    await cluster.settled();
    await client.machine.rollback({});
    await cluster.settled();
    assert.equal(await tagOf(client), "v1.12.11");
    await client.machine.rollback({});
    await cluster.settled();
    assert.equal(await tagOf(client), "v1.12.99");
  });
});

Deno.test("Rollback of a node that knows one version only is refused", async () => {
  await withWorker(async (client) => {
    await assert.rejects(
      client.machine.rollback({}),
      new RpcError("UNKNOWN", "previous UKI not found"),
    );
  });
});

Deno.test("rolled-back returns with the old version, and without word of it", async () => {
  await withWorker(async (client, cluster) => {
    await cluster.setFault(worker, "rolled-back");
    const { boot: { id: bootId } } = cluster.nodes[1]!;
    await client.machine.upgrade({ image });
    await cluster.settled();
    assert.equal(await tagOf(client), "v1.12.11");
    assert.notEqual(cluster.nodes[1]!.boot.id, bootId);
    assert.deepEqual(await specs(client, "BootedEntries"), {
      bootedentry: { bootedEntry: before },
    });
    assert.deepEqual(await specs(client, "MetaKeys.runtime"), {});
    assert.equal(cluster.nodes[1]!.boot.stage, Stage.RUNNING);
  });
});

Deno.test("installer-fails makes the upgrade fail and the node reboot with what it had", async () => {
  await withWorker(async (client, cluster) => {
    await cluster.setFault(worker, "installer-fails");
    const { boot: { id: bootId, events, kernelLog } } = cluster.nodes[1]!;
    await client.machine.upgrade({ image });
    await cluster.settled();
    assert.equal(await tagOf(client), "v1.12.11");
    assert.notEqual(cluster.nodes[1]!.boot.id, bootId);
    const failures: string[] = [];
    for (let at = 0; at < events.end(); at++) {
      const { typeUrl, payload } = events.at(at);
      if (!typeUrl.endsWith(".SequenceEvent")) continue;
      const { error } = SequenceEvent.decode(payload());
      if (error) failures.push(error.message);
    }
    assert.deepEqual(failures, [
      'sequence failed: error running phase 9 in upgrade sequence: task 1/1: failed, task "upgrade" failed: exit code 1',
    ]);
    const lines: string[] = [];
    for (let at = 0; at < kernelLog.end(); at++) {
      lines.push(kernelLog.at(at).text);
    }
    assert.ok(lines.includes("Usage:"));
  });
});

Deno.test("an installer of a release that is too far away fails, and says why", async () => {
  await withWorker(async (client, cluster) => {
    const { boot: { kernelLog } } = cluster.nodes[1]!;
    const far = "ghcr.io/siderolabs/installer:v1.16.0";
    await client.machine.upgrade({ image: far });
    await cluster.settled();
    assert.equal(await tagOf(client), "v1.12.11");
    const lines: string[] = [];
    for (let at = 0; at < kernelLog.end(); at++) {
      lines.push(kernelLog.at(at).text);
    }
    assert.ok(
      lines.includes(
        "Error: pre-flight checks failed: host version 1.12.11 is too old to upgrade to Talos 1.16.0",
      ),
    );
  });
});

Deno.test("never-reboots accepts an upgrade and continues for ever in the old boot", async () => {
  await withWorker(async (client, cluster) => {
    const node = cluster.nodes[1]!;
    const { boot: { id: bootId } } = node;
    await cluster.setFault(worker, "never-reboots", { calls: 1 });
    await client.machine.upgrade({ image });
    await cluster.settled();
    assert.deepEqual([node.boot.id, node.boot.stage], [
      bootId,
      Stage.UPGRADING,
    ]);
    assert.equal(await tagOf(client), "v1.12.11");
    // A shutdown ends anything.
    await client.machine.shutdown({ force: true });
    await cluster.settled();
    assert.equal(node.boot.reachable, false);
  });
});
