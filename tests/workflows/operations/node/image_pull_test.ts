import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import { imagePull } from "../../../../workflows/operations/node/image_pull.ts";
import { imageList } from "../_images.ts";
import { contextWith, runWalk } from "../_run_operation.ts";

const input = { image: "nginx:1.27", namespace: "cri" } as const;
const listed = {
  "docker.io/library/nginx:1.27": "sha256:aa",
  other: "sha256:bb",
};
const none = { before: null };

// deno-lint-ignore require-yield
async function* unknownService() {
  throw await Promise.resolve(new RpcError("UNIMPLEMENTED", "unknown service"));
}

Deno.test("image pull pulls tags again, and digests that are there not", async () => {
  const image = "nginx@sha256:aa";
  const { context } = await contextWith({
    imageList: imageList({
      ...listed,
      [`docker.io/library/${image}`]: "sha256:aa",
    }),
  });
  const planned = async (image: string) =>
    imagePull.plan(await imagePull.observe(context, { ...input, image }), {
      ...input,
      image,
    });
  assert.deepEqual(await planned("nginx:1.27"), [{
    action: "pull nginx:1.27",
  }]);
  assert.deepEqual(await planned(image), []);
  assert.deepEqual(await planned("nginx@sha256:cc"), [
    { action: "pull nginx@sha256:cc" },
  ]);
});

Deno.test("image pull uses the newer service and counts layers", async () => {
  const asked: unknown[] = [];
  const { context } = await contextWith({
    async *pull(request) {
      asked.push(request);
      for (const [layerId, status] of [["a", 0], ["b", 4], ["a", 3]] as const) {
        yield await Promise.resolve({
          response: {
            $case: "pullProgress",
            value: { layerId, progress: { status } },
          },
        });
      }
      yield {
        response: { $case: "name", value: "docker.io/library/nginx:1.27" },
      };
    },
  });
  const { steps } = await runWalk(imagePull.apply(context, input, none));
  assert.deepEqual(steps, [
    "pulling nginx:1.27",
    "0 of 1 layers pulled",
    "1 of 2 layers pulled",
    "2 of 2 layers pulled",
  ]);
  const system = imagePull.apply(
    context,
    { ...input, namespace: "system" },
    none,
  );
  await runWalk(system);
  // Images of kubelet and etcd are where `image list --namespace system` looks.
  assert.deepEqual(asked, [
    { containerd: { driver: 1, namespace: 2 }, imageRef: "nginx:1.27" },
    { containerd: { driver: 1, namespace: 1 }, imageRef: "nginx:1.27" },
  ]);
});

Deno.test("image pull uses the older call where the service is not known", async () => {
  const asked: unknown[] = [];
  const { context } = await contextWith({
    pull: unknownService,
    imagePull(request) {
      asked.push(request);
      return { messages: [{}] };
    },
  });
  await runWalk(
    imagePull.apply(context, { ...input, namespace: "system" }, none),
  );
  assert.deepEqual(asked, [{ namespace: 1, reference: "nginx:1.27" }]);
});

Deno.test("image pull raises what the node says, and asks no second time", async () => {
  const { context } = await contextWith({
    // deno-lint-ignore require-yield
    async *pull() {
      throw await Promise.resolve(new RpcError("NOT_FOUND", "no such image"));
    },
  });
  await assert.rejects(runWalk(imagePull.apply(context, input, none)), {
    message: "no such image",
  });
});

Deno.test("image pull is done with the digest the node lists", async () => {
  const verified = async (digests: Record<string, string>) => {
    const { context } = await contextWith({ imageList: imageList(digests) });
    return (await runWalk(imagePull.verify(context, input, none))).verdict;
  };
  assert.deepEqual(await verified(listed), {
    outcome: "done",
    reason: "sha256:aa",
  });
  assert.deepEqual(await verified({}), {
    outcome: "accepted",
    reason: "the node reported success but does not list the image",
  });
});

Deno.test("a lost reply is resolved by the digest from before", async () => {
  const { context } = await contextWith({ imageList: imageList(listed) });
  const found = async (before: string | null) =>
    await imagePull.reconcile(context, input, { before });
  assert.equal(await found(null), "done");
  assert.equal(await found("sha256:old"), "done");
  assert.equal(await found("sha256:aa"), "not-started");
});
