import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { logFields } from "../../../simulator/services/lifecycle.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import {
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../../transport/gen/common.ts";
import { withCluster } from "../../_cluster.ts";
import { manualClock } from "../_clock.ts";
import { clientOf, worker } from "../_faults.ts";
import { bootedNode } from "../_node.ts";
import { specs } from "../_resources.ts";

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
    using client = clientOf(cluster);
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

Deno.test("Upgrade installs, tells every line, and reboots nothing", async () => {
  await withNew(async (client, cluster) => {
    const { boot: { id: bootId } } = cluster.nodes[1]!;
    const { lines, status } = await install(client, await pull(client));
    assert.equal(status, 0);
    assert.match(lines[0]!, / running Talos installer v1\.13\.3\n$/);
    assert.match(lines.at(-1)!, / installation of v1\.13\.3 complete\n$/);
    await cluster.settled();
    assert.equal(cluster.nodes[1]!.boot.id, bootId);
    assert.deepEqual(entries(cluster), {
      installed: [before, after],
      chosen: after,
      running: before,
    });
    assert.deepEqual(await specs(client, "MetaKeys.runtime"), {
      "0x06": { value: before },
    });
    await cluster.reboot(worker);
    const { messages } = await client.machine.version({});
    assert.equal(messages[0]!.version!.tag, "v1.13.3");
    assert.deepEqual(await specs(client, "MetaKeys.runtime"), {});
  });
});

Deno.test("a second installation in one boot is zero of the version that runs", async () => {
  await withNew(async (client, cluster) => {
    const name = await pull(client);
    await install(client, name);
    await install(client, name);
    assert.deepEqual(entries(cluster), {
      installed: [after, "Talos-v1.13.3~1.efi"],
      chosen: "Talos-v1.13.3~1.efi",
      running: before,
    });
    await cluster.reboot(worker);
    await client.machine.rollback({});
    await cluster.settled();
    const { messages } = await client.machine.version({});
    assert.equal(messages[0]!.version!.tag, "v1.13.3");
  });
});

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

Deno.test("the log of the machine has the end of an installation, and its status", async () => {
  await withNew(async (client, cluster) => {
    const name = await pull(client);
    await install(client, name);
    await cluster.setFault(worker, "installer-fails");
    await install(client, name);
    let log = "";
    const request = { namespace: "system", id: "machined", tailLines: -1 };
    for await (const { bytes } of client.machine.logs(request)) {
      log += new TextDecoder().decode(bytes);
    }
    const ends = [
      ...log.matchAll(
        /m(INFO|WARN)\S* (upgrade (?:completed|failed)) (.*)/g,
      ),
    ];
    assert.deepEqual(ends.map(([, ...parts]) => parts), [
      ["INFO", "upgrade completed", '{"service": "lifecycle", "exit_code": 0}'],
      ["WARN", "upgrade failed", '{"service": "lifecycle", "exit_code": 1}'],
    ]);
  });
});

Deno.test("installer-fails is a status and no error, and leaves everything as it was", async () => {
  await withNew(async (client, cluster) => {
    await cluster.setFault(worker, "installer-fails", { calls: 1 });
    const name = await pull(client);
    const { lines, status } = await install(client, name);
    assert.equal(status, 1);
    assert.ok(lines.includes("Usage:\n"));
    assert.equal(entries(cluster).chosen, before);
    assert.equal((await install(client, name)).status, 0);
  });
});

Deno.test("stream-drop loses the status of an installation that continues", async () => {
  await withNew(async (client, cluster) => {
    const name = await pull(client);
    await cluster.setFault(worker, "stream-drop", {
      method: "Upgrade",
      afterMessages: 2,
    });
    await assert.rejects(install(client, name), { code: "UNAVAILABLE" });
    await cluster.settled();
    assert.equal(entries(cluster).chosen, after);
  });
});

Deno.test("what is not there, no installer or not named is refused", async () => {
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

Deno.test("a node has the service once it runs a release that has it", async () => {
  await withNew(async (client, cluster) => {
    const missing = new RpcError(
      "UNIMPLEMENTED",
      "unknown service machine.LifecycleService",
    );
    await assert.rejects(install(client, image), missing);
    await client.machine.upgrade({ image });
    await cluster.settled();
    assert.equal((await install(client, await pull(client))).status, 0);
  }, { release: { tag: "v1.12.11" } });
});

Deno.test("a line has its time, its level in color, and its fields", async () => {
  const node = await bootedNode();
  logFields(node, "thing", {
    level: "WARN",
    text: "it is late",
    fields: { who: 'the "cat"', by: 5 },
  });
  assert.equal(
    node.boot.logs.get("thing")!.at(0),
    '2026-03-01T12:00:00.000Z \x1b[33mWARN\x1b[0m it is late {"who": "the \\"cat\\"", "by": 5}',
  );
});
