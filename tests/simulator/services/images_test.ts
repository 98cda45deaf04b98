import assert from "node:assert/strict";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { RpcError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import {
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../../transport/gen/common.ts";
import { withCluster } from "../../_cluster.ts";
import { openClient, worker } from "../_faults.ts";

const system = { driver: Driver.CONTAINERD, namespace: Namespace.NS_SYSTEM };

function withNew(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  const options = { workers: 1, release: { tag: "v1.13.2" } };
  return withCluster(options, async (cluster) => {
    using client = openClient(cluster);
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

/** Imports an archive of files. Returns the name of the image. */
async function importing(
  client: NodeClient,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name }, text);
  tar.finalize();
  async function* requests() {
    yield { request: { $case: "containerd" as const, value: system } };
    for await (const bytes of tar as AsyncIterable<Uint8Array>) {
      yield { request: { $case: "imageChunk" as const, value: { bytes } } };
    }
  }
  return (await client.image.import(requests())).name;
}

async function list(client: NodeClient): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of client.image.list({ containerd: system })) {
    names.push(name);
  }
  return names;
}

Deno.test("Import reads an OCI layout or what Docker saved, and names the image", async () => {
  await withNew(async (client) => {
    const digest = `sha256:${"ab".repeat(32)}`;
    const layout = (annotations: object) => ({
      "index.json": JSON.stringify({ manifests: [{ digest, annotations }] }),
      "blobs/sha256/ab": "x".repeat(1_000),
    });
    const named = layout({ "io.containerd.image.name": "a.io/b:1" });
    assert.equal(await importing(client, named), "a.io/b:1");
    const saved = {
      "manifest.json": JSON.stringify([{ RepoTags: ["alpine:3"] }]),
    };
    const alpine = "docker.io/library/alpine:3";
    assert.equal(await importing(client, saved), alpine);
    const found: [string, string, bigint][] = [];
    for await (
      const { name, digest, size } of client.image.list({ containerd: system })
    ) found.push([name, digest, size]);
    assert.deepEqual(found, [
      ["a.io/b:1", digest, BigInt(1_000 + named["index.json"].length)],
      [
        alpine,
        // sha256sum of manifest.json
        "sha256:c75bcd2f567018cec8944b622ac8f3b33cf1f5ef21c2e46b545041d0fb3eac46",
        27n,
      ],
    ]);
    for (
      const [files, code, message] of [
        [layout({}), "INVALID_ARGUMENT", "no images imported from archive"],
        [
          { "a.txt": "a" },
          "INTERNAL",
          "failed to import image: unrecognized image format",
        ],
      ] as const
    ) {
      await assert.rejects(
        importing(client, files),
        new RpcError(code, message),
      );
    }
    await assert.rejects(
      client.image.import(ReadableStream.from([{}])),
      new RpcError("INVALID_ARGUMENT", "containerd instance is required"),
    );
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

async function names(
  client: NodeClient,
  namespace: Namespace,
): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const image of client.machine.imageList({ namespace })) {
    assert.match(image.digest, /^sha256:[0-9a-f]{64}$/);
    assert.ok(image.size > 0n && image.createdAt!.seconds > 0n);
    all.push(image.name);
  }
  return all;
}

Deno.test("ImageList lists images under all their names, sorted, by namespace", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = openClient(cluster);
    const kubernetes = await names(client, Namespace.NS_CRI);
    assert.deepEqual(kubernetes, [...kubernetes].sort());
    assert.deepEqual(
      kubernetes.filter((name) => !name.includes("sha256:")),
      [
        "ghcr.io/siderolabs/flannel:v0.27.4",
        "registry.k8s.io/coredns/coredns:v1.14.2",
        "registry.k8s.io/kube-proxy:v1.34.1",
        "registry.k8s.io/pause:3.10.1",
      ],
    );
    assert.equal(kubernetes.length, 12);
    const system = await names(client, Namespace.NS_SYSTEM);
    assert.deepEqual(system.filter((name) => !name.includes("sha256:")), [
      "ghcr.io/siderolabs/kubelet:v1.34.1",
    ]);
    await assert.rejects(
      names(client, Namespace.NS_UNKNOWN),
      new RpcError("INVALID_ARGUMENT", "invalid namespace NS_UNKNOWN"),
    );
  });
});
