import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import {
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../../transport/gen/common.ts";
import { withCluster } from "../../_cluster.ts";
import { manualClock } from "../_clock.ts";
import { openClient } from "../_faults.ts";

const containerd = {
  driver: Driver.CONTAINERD,
  namespace: Namespace.NS_SYSTEM,
};
const image = "ghcr.io/siderolabs/installer:v1.13.3";
const before = "Talos-v1.13.2.efi";
const after = "Talos-v1.13.3.efi";

function withNew(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
  options = {},
): Promise<void> {
  const pace = { stopMs: 10, downMs: 0, installMs: 0, panicMs: 0 };
  return withCluster({
    workers: 1,
    release: { tag: "v1.13.2" },
    pace,
    ...options,
  }, async (cluster) => {
    using client = openClient(cluster);
    await test(client, cluster);
  });
}

async function pull(client: NodeClient, imageRef = image): Promise<string> {
  let name = "";
  for await (
    const { response } of client.image.pull({ containerd, imageRef })
  ) {
    if (response?.$case === "name") name = response.value;
  }
  return name;
}

async function install(client: NodeClient, imageName: string) {
  const lines: string[] = [];
  let status: number | undefined;
  const source = { imageName };
  for await (
    const { progress } of client.lifecycle.upgrade({ containerd, source })
  ) {
    const { response } = progress!;
    if (response?.$case === "message") lines.push(response.value);
    if (response?.$case === "exitCode") status = response.value;
  }
  return { lines, status };
}

function entries({ nodes }: RunningCluster) {
  const { installed, chosen, running } = nodes[1]!.disk.bootEntries!;
  return {
    installed: installed.map(({ name }) => name),
    chosen,
    running: running.name,
  };
}

Deno.test("an installation continues when its client has gone, and keeps others out", async () => {
  const clock = manualClock();
  await withNew(async (client, cluster) => {
    const name = await pull(client);
    const source = { imageName: name };
    const gone = new AbortController();
    const stream = client.lifecycle.upgrade({ containerd, source }, {
      signal: gone.signal,
    });
    for await (const _ of stream) gone.abort();
    const { messages } = await client.machine.processes({});
    const programs = messages[0]!.processes.map(({ executable }) => executable);
    assert.ok(programs.includes("/bin/installer"));
    await assert.rejects(
      install(client, name),
      new RpcError(
        "FAILED_PRECONDITION",
        "another installation/upgrade is already in progress",
      ),
    );
    await clock.advance(1000);
    await cluster.settled();
    assert.equal(entries(cluster).chosen, after);
  }, { clock, pace: { installMs: 1000 } });
});

Deno.test("lifecycle: refuses missing, unnamed and other images", async () => {
  await withNew(async (client, cluster) => {
    const other = await pull(client, "docker.io/library/nginx:1");
    const refusals: string[] = [];
    for (const name of ["", image, other]) {
      await assert.rejects(install(client, name), (error) => {
        assert.ok(error instanceof RpcError);
        refusals.push(`${error.code}: ${error.message}`);
        return true;
      });
    }
    assert.deepEqual(refusals, [
      "INVALID_ARGUMENT: installer image name is required",
      `INTERNAL: upgrade failed: installer image "${image}" not found in containerd store: image "${image}": not found`,
      'INTERNAL: upgrade failed: failed to start task: exec: "/bin/installer": stat /bin/installer: no such file or directory',
    ]);
    assert.equal(entries(cluster).chosen, before);
  });
});

Deno.test("Install is for disks on which nothing is installed", async () => {
  await withNew(async (client) => {
    const stream = client.lifecycle.install({ containerd });
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, new RpcError("ALREADY_EXISTS", "machine is already installed"));
  });
});
