import assert from "node:assert/strict";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { RpcError } from "../../../errors.ts";
import { systemClock } from "../../../simulator/clock/clock.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { imagesIn, pullImage } from "../../../simulator/node/images.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import {
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../../transport/gen/common.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
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

Deno.test("Pull reports every step, and in the end the name with the digest", async () => {
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

Deno.test("nodes before v1.13 have no such service", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = clientOf(cluster);
    await assert.rejects(
      list(client),
      new RpcError("UNIMPLEMENTED", "unknown service machine.ImageService"),
    );
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
    using client = clientOf(cluster);
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

Deno.test("images have the time they were pulled at, whenever they are listed", async () => {
  let now = 1_772_366_400_000;
  const clock = { ...systemClock, now: () => now };
  await withCluster({ workers: 1, clock }, async (cluster) => {
    using client = clientOf(cluster);
    const namespace = Namespace.NS_CRI;
    const timesOf = async () => {
      const times = new Set<bigint>();
      for await (const image of client.machine.imageList({ namespace })) {
        times.add(image.createdAt!.seconds);
      }
      return [...times];
    };
    now += 3_600_000;
    assert.deepEqual(await timesOf(), [1_772_366_400n]);
    now += 3_600_000;
    await client.machine.imagePull({ namespace, reference: "nginx:1.27" });
    now += 3_600_000;
    assert.deepEqual((await timesOf()).toSorted(), [
      1_772_366_400n,
      1_772_373_600n,
    ]);
  });
});

Deno.test("ImagePull makes an image be there, and a reset of its partition gone", async () => {
  const pace = { stopMs: 10, downMs: 0 };
  await withCluster({ workers: 1, pace }, async (cluster) => {
    using client = clientOf(cluster);
    const namespace = Namespace.NS_CRI;
    const request = { namespace, reference: "nginx:1.27" };
    assert.equal((await client.machine.imagePull(request)).messages.length, 1);
    const name = "docker.io/library/nginx:1.27";
    await cluster.reboot(worker);
    assert.ok((await names(client, namespace)).includes(name));
    await client.machine.reset({
      reboot: true,
      systemPartitionsToWipe: [{ label: "EPHEMERAL", wipe: true }],
    });
    await cluster.settled();
    assert.ok(!(await names(client, namespace)).includes(name));
  });
});

Deno.test("ImagePull of what no registry has is NOT_FOUND", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = clientOf(cluster);
    await cluster.setFault(worker, "image-missing", { method: "ImagePull" });
    const reference = "registry.local/a:1";
    await assert.rejects(
      client.machine.imagePull({ namespace: Namespace.NS_CRI, reference }),
      new RpcError(
        "NOT_FOUND",
        `error pulling image: 1 error(s) occurred:\n\tfailed to pull image "${reference}": failed to resolve reference "${reference}": ${reference}: not found`,
      ),
    );
    await assert.rejects(
      client.machine.imagePull({ namespace: Namespace.NS_CRI, reference: "A" }),
      new RpcError(
        "UNKNOWN",
        'failed to parse image reference "A": invalid reference format',
      ),
    );
  });
});

Deno.test("readers list images and do not pull them", async () => {
  await withCluster({}, async (cluster) => {
    const identity = await cluster.identify(["os:reader"]);
    using client = testClient({ endpoint: cluster.endpoints[0]!, identity });
    assert.ok((await names(client, Namespace.NS_CRI)).length > 0);
    await assert.rejects(
      client.machine.imagePull({ namespace: Namespace.NS_CRI, reference: "a" }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
  });
});

Deno.test("images of the node are as old as its boot, pulled ones are new", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const [node] = cluster.nodes;
    const { address } = node!.identity;
    await cluster.setFault(address, "clock-skew", { ms: 60_000 });
    const old = await imagesIn(node!, "cri/system");
    const ages = new Set([...old.values()].map(({ created }) => created));
    assert.deepEqual([...ages], [node!.boot.startedAt]);
    const { image } = await pullImage(node!, "cri/system", "a/b:1", "Pull");
    assert.ok(image.created >= node!.boot.startedAt + 60_000);
  });
});
