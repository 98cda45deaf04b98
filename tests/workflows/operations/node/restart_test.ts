import assert from "node:assert/strict";
import { restart } from "../../../../workflows/operations/node/restart.ts";
import { contextWith, runWalk } from "../_run_operation.ts";

const input = { id: "kubelet", kubernetes: false };
const key = { id: "kubelet", podId: "kubelet", name: "kubelet", pid: 7 };

/** Containers of the system by pid; 0 is one that has ended. */
function containers(...pids: readonly number[]) {
  const listed = pids.map((pid) => ({
    id: "kubelet",
    podId: "kubelet",
    name: "kubelet",
    pid,
    status: pid === 0 ? "STOPPED" : "RUNNING",
  }));
  const other = { ...listed[0], id: "etcd", podId: "etcd", name: "etcd" };
  return () => ({ messages: [{ containers: [other, ...listed] }] });
}

async function makeContext(...pids: readonly number[]) {
  const { context } = await contextWith({ containers: containers(...pids) });
  return context;
}

Deno.test("restart knows an attempt by pod, name and process", async () => {
  const seen = await restart.observe(await makeContext(7), input);
  assert.deepEqual(restart.key(seen, input), key);
  assert.deepEqual(restart.plan(seen, input), [{ action: "restart kubelet" }]);
});

Deno.test("restart of a container without its hash means the one that runs", async () => {
  const container = (hash: string, pid: number, status: string) => ({
    ...{ id: `ns/web:app:${hash}`, internalId: `${hash}89ab`, podId: "ns/web" },
    ...{ name: "app", pid, status },
  });
  const { context } = await contextWith({
    containers: () => ({
      messages: [{
        containers: [
          container("0123", 0, "CONTAINER_EXITED"),
          container("4567", 9, "CONTAINER_RUNNING"),
        ],
      }],
    }),
  });
  for (const id of ["ns/web:app", "ns/web:app:567"]) {
    assert.deepEqual(
      await restart.observe(context, { id, kubernetes: true }),
      { id: "ns/web:app:4567", podId: "ns/web", name: "app", pid: 9 },
    );
  }
});

Deno.test("restart of what is not there names the command that lists containers", async () => {
  await assert.rejects(
    restart.observe(await makeContext(7), { id: "kubelt", kubernetes: true }),
    {
      message: 'Cannot restart "kubelt": no such container',
      hint: "List them with: osctl containers --kubernetes",
    },
  );
});

Deno.test("restart asks in the namespace the container is in", async () => {
  const asked: unknown[] = [];
  const { context } = await contextWith({
    restart(request) {
      asked.push(request);
      return { messages: [{}] };
    },
  });
  await runWalk(restart.apply(context, input, key));
  const found = { ...key, id: "a/b:c:0123" };
  await runWalk(
    restart.apply(context, { id: "a/b:c", kubernetes: true }, found),
  );
  assert.deepEqual(asked, [
    { namespace: "system", id: "kubelet", driver: 0 },
    { namespace: "k8s.io", id: "a/b:c:0123", driver: 1 },
  ]);
});

Deno.test("restart is done when another process runs under the name, also in another container", async () => {
  const { verdict } = await runWalk(
    restart.verify(await makeContext(0, 9), input, key),
  );
  assert.deepEqual(verdict, {
    outcome: "done",
    reason: "process 9 replaced 7",
  });
});

Deno.test("restart says what is missing when the time is up", async () => {
  const late = async (...pids: readonly number[]) =>
    (await runWalk(restart.verify(await makeContext(...pids), input, key)))
      .verdict;
  assert.deepEqual(await late(7), {
    outcome: "timed-out",
    reason: "process 7 has not exited yet",
  });
  assert.deepEqual(await late(0), {
    outcome: "timed-out",
    reason: "process 7 has exited, and no new one is running yet",
  });
});

Deno.test("an attempt whose client died is told by its process", async () => {
  const found = async (...pids: readonly number[]) =>
    await restart.reconcile(await makeContext(...pids), input, key);
  assert.equal(await found(7), "not-started");
  assert.equal(await found(0), "in-progress");
  assert.equal(await found(9), "done");
});

Deno.test("only etcd of the system counts for the quorum", () => {
  const effect = (id: string, kubernetes: boolean) =>
    restart.quorum({ id, kubernetes });
  assert.equal(effect("etcd", false), "leaves-temporarily");
  assert.equal(effect("etcd", true), "none");
  assert.equal(effect("kubelet", false), "none");
});
