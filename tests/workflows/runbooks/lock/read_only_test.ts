import assert from "node:assert/strict";
import type { Transport } from "../../../../transport/call/call.ts";
import { nodeClient, services } from "../../../../transport/call/client.ts";
import type { Kubernetes } from "../../../../workflows/kubernetes/client.ts";
import {
  readingKubernetes,
  readingOnly,
  readingPaths,
} from "../../../../workflows/runbooks/lock/read_only.ts";

/** Calls of a transport that answers nothing. */
function recorder(): { readonly calls: string[]; readonly inner: Transport } {
  const calls: string[] = [];
  return {
    calls,
    inner: {
      unary({ path }) {
        calls.push(path);
        return Promise.reject(new Error("answered"));
      },
      // deno-lint-ignore require-yield
      async *stream({ path }) {
        calls.push(path);
        throw new Error("answered");
      },
      close() {},
    },
  };
}

/** Calls every method of every service, and gives the messages of the failures by method. */
async function callAll(transport: Transport): Promise<Map<string, string>> {
  const client = nodeClient("w-1", transport, {});
  const messages = new Map<string, string>();
  for (const [service, { methods }] of Object.entries(services)) {
    for (const [key, { name }] of Object.entries(methods)) {
      // All of them are called in the same way.
      const called =
        client[service as keyof typeof services] as unknown as Record<
          string,
          (request: unknown) => unknown
        >;
      try {
        const answer = called[key]?.({ async *[Symbol.asyncIterator]() {} });
        if (answer instanceof Promise) await answer;
        else for await (const _ of answer as AsyncIterable<unknown>);
      } catch (error) {
        assert.ok(error instanceof Error);
        messages.set(`${service} ${name}`, error.message);
      }
    }
  }
  return messages;
}

Deno.test("a plan's transport sends nothing of all a node can be requested but what only reports", async () => {
  const { calls, inner } = recorder();
  const messages = await callAll(readingOnly(inner));
  assert.ok(calls.every((path) => readingPaths.has(path)));
  assert.equal(
    messages.get("machine Reboot"),
    "A plan only reads, and cannot call Reboot of a node",
  );
  assert.equal(messages.get("machine Version"), "answered");
  const refused = [...messages].filter(([, text]) => text !== "answered")
    .map(([name]) => name).toSorted();
  assert.deepEqual(refused, [
    "cluster HealthCheck",
    "debug ContainerRun",
    "image Import",
    "image Pull",
    "image Remove",
    "image Verify",
    "inspect ControllerRuntimeDependencies",
    "lifecycle Install",
    "lifecycle Upgrade",
    "lvm LogicalVolumeRemove",
    "lvm PhysicalVolumeRemove",
    "lvm VolumeGroupRemove",
    "machine ApplyConfiguration",
    "machine Bootstrap",
    "machine Copy",
    "machine EtcdAlarmDisarm",
    "machine EtcdDefragment",
    "machine EtcdDowngradeCancel",
    "machine EtcdDowngradeEnable",
    "machine EtcdForfeitLeadership",
    "machine EtcdLeaveCluster",
    "machine EtcdRecover",
    "machine EtcdRemoveMemberByID",
    "machine EtcdSnapshot",
    "machine GenerateClientConfiguration",
    "machine GenerateConfiguration",
    "machine ImagePull",
    "machine MetaDelete",
    "machine MetaWrite",
    "machine PacketCapture",
    "machine Reboot",
    "machine Reset",
    "machine Restart",
    "machine Rollback",
    "machine ServiceRestart",
    "machine ServiceStart",
    "machine ServiceStop",
    "machine Shutdown",
    "machine Upgrade",
    "md Destroy",
    "security Certificate",
    "state Create",
    "state Destroy",
    "state Teardown",
    "state TeardownAndDestroy",
    "state Update",
    "storage BlockDeviceWipe",
  ]);
});

const { signal } = new AbortController();

Deno.test("a plan gets each object of Kubernetes once, and what was not answered again", async () => {
  const asked: string[] = [];
  let isClosed = false;
  const inner: Kubernetes = {
    request(path, { method = "GET" }) {
      asked.push(`${method} ${path}`);
      return asked.length === 1
        ? Promise.reject(new Error("away"))
        : Promise.resolve({ path });
    },
    [Symbol.dispose]: () => void (isClosed = true),
  };
  {
    using kubernetes = readingKubernetes(inner);
    await assert.rejects(kubernetes.request("/a", { signal }), {
      message: "away",
    });
    assert.deepEqual(await kubernetes.request("/a", { signal }), {
      path: "/a",
    });
    assert.deepEqual(await kubernetes.request("/a", { signal }), {
      path: "/a",
    });
  }
  assert.deepEqual(asked, ["GET /a", "GET /a"]);
  assert.equal(isClosed, true);
});

Deno.test("a plan that has got all nodes of Kubernetes asks for none of them again", async () => {
  const asked: string[] = [];
  const kubernetes = readingKubernetes({
    request(path) {
      asked.push(path);
      return Promise.resolve({
        metadata: { name: "asked" },
        items: [{ metadata: { name: "w-1" } }],
      });
    },
    [Symbol.dispose]() {},
  });
  const nameAt = async (path: string) =>
    (await kubernetes.request(path, { signal })).metadata?.name;
  assert.equal(await nameAt("/api/v1/nodes/w-1"), "asked");
  await kubernetes.request("/api/v1/nodes", { signal });
  assert.equal(await nameAt("/api/v1/nodes/w-2"), "asked");
  assert.equal(await nameAt("/api/v1/nodes/w-1"), "asked");
  const others = readingKubernetes({
    request: (path) =>
      path === "/api/v1/nodes"
        ? Promise.resolve({ items: [{ metadata: { name: "w-1" } }] })
        : Promise.reject(new Error("asked")),
    [Symbol.dispose]() {},
  });
  await others.request("/api/v1/nodes", { signal });
  const node = await others.request("/api/v1/nodes/w-1", { signal });
  assert.equal(node.metadata?.name, "w-1");
  await assert.rejects(others.request("/api/v1/nodes/w-2", { signal }), {
    message: "asked",
  });
  assert.deepEqual(asked, [
    "/api/v1/nodes/w-1",
    "/api/v1/nodes",
    "/api/v1/nodes/w-2",
  ]);
});

Deno.test("a plan sends nothing to Kubernetes but questions", async () => {
  const asked: string[] = [];
  const kubernetes = readingKubernetes({
    request(path) {
      asked.push(path);
      return Promise.resolve({});
    },
    [Symbol.dispose]() {},
  });
  for (const method of ["POST", "PATCH", "PUT", "DELETE"] as const) {
    await assert.rejects(kubernetes.request("/a", { method, signal }), {
      message: `A plan only reads, and cannot send ${method} /a to Kubernetes`,
    });
  }
  await assert.rejects(kubernetes.request("/a", { body: {}, signal }));
  assert.deepEqual(asked, []);
});

Deno.test("a plan sends dry runs to Kubernetes, and nothing that only looks like one", async () => {
  const asked: unknown[] = [];
  const kubernetes = readingKubernetes({
    request(path, { signal: _, ...options }) {
      asked.push([path, options]);
      return Promise.resolve({});
    },
    [Symbol.dispose]() {},
  });
  const options = { method: "PATCH", patch: "apply", body: {} } as const;
  const path = "/a?fieldManager=osctl&dryRun=All";
  for (const _ of [1, 2]) {
    await kubernetes.request(path, { ...options, signal });
  }
  const sent = [path, options];
  assert.deepEqual(asked, [sent, sent]);
  const others = [
    "/a?dryRun=None",
    "/a?dryRun=All&dryRun=None",
    "/a?x=dryRun=All",
    "/a#?dryRun=All",
    "/a?dryrun=All",
  ];
  for (const other of others) {
    await assert.rejects(kubernetes.request(other, { ...options, signal }), {
      message:
        `A plan only reads, and cannot send PATCH ${other} to Kubernetes`,
    });
  }
  assert.equal(asked.length, 2);
});
