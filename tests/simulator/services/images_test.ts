import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import {
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../../transport/gen/common.ts";
import { withCluster } from "../../_cluster.ts";
import { clientOf, worker } from "../_faults.ts";

const system = {
  driver: Driver.CONTAINERD,
  namespace: Namespace.NS_SYSTEM,
};

function withNew(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  const options = { workers: 1, release: { tag: "v1.13.2" } };
  return withCluster(options, async (cluster) => {
    using client = clientOf(cluster);
    await test(client, cluster);
  });
}

async function pull(client: NodeClient, imageRef: string) {
  const steps: unknown[] = [];
  for await (
    const { response } of client.image.pull({ containerd: system, imageRef })
  ) {
    steps.push(
      response?.$case === "name"
        ? response.value
        : response?.value.progress?.status,
    );
  }
  return steps;
}

async function list(client: NodeClient): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of client.image.list({ containerd: system })) {
    names.push(name);
  }
  return names;
}

Deno.test("Pull tells of every step, and in the end the name with the digest", async () => {
  await withNew(async (client) => {
    const steps = await pull(client, "ghcr.io/siderolabs/installer:v1.13.3");
    assert.deepEqual(steps.slice(0, 4), [0, 1, 2, 3]);
    const pinned = String(steps[4]);
    assert.match(
      pinned,
      /^ghcr\.io\/siderolabs\/installer@sha256:[0-9a-f]{64}$/,
    );
    assert.deepEqual(await pull(client, pinned), [pinned]);
    assert.deepEqual(await list(client), [
      "ghcr.io/siderolabs/installer:v1.13.3",
      pinned,
      pinned.slice(pinned.indexOf("sha256:")),
    ]);
  });
});

Deno.test("Remove takes a name away", async () => {
  await withNew(async (client) => {
    await pull(client, "a.io/b:1");
    const imageRef = "a.io/b:1";
    await client.image.remove({ containerd: system, imageRef });
    assert.equal((await list(client)).length, 2);
    await assert.rejects(
      client.image.remove({ containerd: system, imageRef }),
      new RpcError("NOT_FOUND", "image a.io/b:1 not found"),
    );
  });
});

Deno.test("Verify knows no rules", async () => {
  await withNew(async (client) => {
    assert.deepEqual(await client.image.verify({ imageRef: "a.io/b:1" }), {
      verified: false,
      message: "no matched rule",
      digestedImageRef: "",
    });
    await assert.rejects(client.image.verify({ imageRef: "" }), {
      code: "INVALID_ARGUMENT",
    });
  });
});

Deno.test("image-missing fails a pull, and what is no runtime is refused", async () => {
  await withNew(async (client, cluster) => {
    await cluster.setFault(worker, "image-missing");
    await assert.rejects(pull(client, "a.io/b:1"), {
      code: "NOT_FOUND",
      message: /^error pulling image: .*a\.io\/b:1: not found$/s,
    });
    const refusals: string[] = [];
    for (
      const containerd of [
        undefined,
        { driver: Driver.CONTAINERD, namespace: Namespace.NS_CRI },
      ]
    ) {
      const listing = client.image.list({ containerd });
      await assert.rejects(async () => {
        for await (const _ of listing);
      }, (error) => {
        assert.ok(error instanceof RpcError);
        refusals.push(`${error.code}: ${error.message}`);
        return true;
      });
    }
    assert.deepEqual(refusals, [
      "INVALID_ARGUMENT: invalid containerd namespace NS_UNKNOWN",
      "INVALID_ARGUMENT: cannot use CRI namespace with containerd driver",
    ]);
  });
});

Deno.test("nodes before v1.13 have no such service", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = clientOf(cluster);
    await assert.rejects(
      list(client),
      new RpcError("UNIMPLEMENTED", "unknown service machine.ImageService"),
    );
  });
});
