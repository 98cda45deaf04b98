import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { run } from "../../_run.ts";
import { imageList } from "../../workflows/operations/_images.ts";

const images = imageList({
  "registry.k8s.io/pause:3.10.1": "sha256:aa",
  "registry.k8s.io/etcd:v3.6.11": "sha256:bb",
});

Deno.test("image list shows images in the order they come", async () => {
  const asked: unknown[] = [];
  const { out, status } = await run("image list", {
    a: {
      imageList(request) {
        asked.push(request);
        return images();
      },
    },
  });
  assert.equal(
    out,
    `NODE   IMAGE                          DIGEST      SIZE    CREATED
a      registry.k8s.io/pause:3.10.1   sha256:aa   12 MB   2026-01-02T03:04:05Z
a      registry.k8s.io/etcd:v3.6.11   sha256:bb   12 MB   2026-01-02T03:04:05Z
`,
  );
  assert.equal(status, 0);
  assert.deepEqual(asked, [{ namespace: 2 }]);
});

Deno.test("image list shows the header of a node without images", async () => {
  const { out, status } = await run("image list", {
    a: { imageList: imageList({}) },
  });
  assert.equal(out, "NODE   IMAGE   DIGEST   SIZE   CREATED\n");
  assert.equal(status, 0);
});

Deno.test("image list -o jsonl carries bytes and exact times", async () => {
  const asked: unknown[] = [];
  const { out } = await run("images ls --namespace system -o jsonl", {
    a: {
      imageList(request) {
        asked.push(request);
        return imageList({ x: "sha256:aa" })();
      },
    },
  });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    image: "x",
    digest: "sha256:aa",
    size: 12_345_678,
    created: "2026-01-02T03:04:05.25Z",
  });
  assert.deepEqual(asked, [{ namespace: 1 }]);
});

Deno.test("image list still shows the healthy nodes when one fails, and what it sent before", async () => {
  const { out, err, status } = await run("image list -o jsonpath={.node}", {
    a: { imageList: images },
    b: {
      async *imageList() {
        yield* images();
        throw new RpcError("UNAVAILABLE", "gone");
      },
    },
    c: { imageList: images },
  });
  assert.deepEqual(out.trimEnd().split("\n").toSorted(), [
    "a",
    "a",
    "b",
    "b",
    "c",
    "c",
  ]);
  assert.equal(err, "error: b: gone\n");
  assert.equal(status, 3);
});

Deno.test("image list continues after a message that reports a failure, and fails then", async () => {
  const { out, err, status } = await run("image list -o jsonpath={.image}", {
    a: {
      async *imageList() {
        yield await Promise.resolve({ metadata: { error: "half of it" } });
        yield { name: "x" };
      },
    },
  });
  assert.deepEqual([out, err, status], ["x\n", "error: a: half of it\n", 1]);
});

Deno.test("image list refuses namespaces there are none of", async () => {
  const { err, status } = await run("image list --namespace k8s");
  assert.match(err, /--namespace/);
  assert.equal(status, 2);
});
