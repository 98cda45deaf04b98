import assert from "node:assert/strict";
import { defaultInstaller } from "../../../config/releases.ts";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { withCluster } from "../../_cluster.ts";
import { openClient } from "../_faults.ts";
import { specs } from "../_resources.ts";

const image = "ghcr.io/siderolabs/installer:v1.12.99";
const before = "Talos-v1.12.11.efi";
/** A quick cluster with a worker. */
function withWorker(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  const pace = { stopMs: 10, downMs: 0, installMs: 0, panicMs: 0 };
  return withCluster({ workers: 1, pace }, async (cluster) => {
    using client = openClient(cluster);
    await test(client, cluster);
  });
}

async function readTag(client: NodeClient): Promise<string> {
  const { messages: [version] } = await client.machine.version({});
  return version!.version!.tag;
}

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
    assert.equal(await readTag(client), "v1.12.99");
    assert.deepEqual(await specs(client, "MetaKeys.runtime"), {});
  });
});

Deno.test("Upgrade of one of two control planes is refused, unless it is forced or data stays", async () => {
  const pace = { stopMs: 10, downMs: 0, installMs: 0 };
  await withCluster({ controlplanes: 2, pace }, async (cluster) => {
    using client = openClient(cluster, "10.5.0.3");
    await assert.rejects(
      client.machine.upgrade({ image }),
      new RpcError(
        "UNKNOWN",
        "error validating etcd for upgrade: etcd member count(2) is insufficient to maintain quorum if upgrade commences",
      ),
    );
    await client.machine.upgrade({ image, force: true });
    await cluster.settled();
    assert.equal(await readTag(client), "v1.12.99");
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

Deno.test("an installer of a release that is too far away fails, and says why", async () => {
  await withWorker(async (client, cluster) => {
    const { boot: { kernelLog } } = cluster.nodes[1]!;
    const far = defaultInstaller("v1.16.0");
    await client.machine.upgrade({ image: far });
    await cluster.settled();
    assert.equal(await readTag(client), "v1.12.11");
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

Deno.test("Upgrade refuses the installer that a release publishes elsewhere", async () => {
  await withWorker(async (client) => {
    const name = "ghcr.io/siderolabs/installer:v1.14.0";
    await assert.rejects(
      client.machine.upgrade({ image: name }),
      /v1\.14\.0: not found/,
    );
  });
});
