import assert from "node:assert/strict";
import type { FakeNode } from "../_fake.ts";
import { withFolder } from "../_folder.ts";
import { runOn, type RunOptions } from "../_run.ts";
import { withWire } from "../_wire.ts";
import { boots, kernelLog } from "./_broken_streams.ts";

/** A node whose container of that id gets another process when it is restarted. */
function restarting(id: string, handlers: FakeNode = {}): FakeNode {
  let pid = 7;
  return {
    containers: () => ({
      messages: [{
        containers: [{ id, podId: id, name: id, pid, status: "RUNNING" }],
      }],
    }),
    restart() {
      pid++;
      return { messages: [{}] };
    },
    ...handlers,
  };
}

async function ran(line: string, nodes: Record<string, FakeNode>) {
  const ended: Awaited<ReturnType<typeof runOn>>[] = [];
  await withFolder({}, async (folder) => {
    const options: RunOptions = {
      env: { OS_HOME: folder, OSCONFIG: `${folder}/config` },
    };
    ended.push(await runOn(line, nodes, options));
  });
  const [only] = ended;
  assert.ok(only);
  return only;
}

Deno.test("restart ends when another process runs", async () => {
  const { out, err, status } = await ran("restart kubelet", {
    a: restarting("kubelet"),
  });
  assert.equal(
    out,
    `NODE   OUTCOME   REASON
a      done      process 8 replaced 7
`,
  );
  assert.equal(err, '03:04:05 a: restarting "kubelet"\n');
  assert.equal(status, 0);
});

Deno.test("restart --debug shows the kernel log meanwhile, and waits", async () => {
  const { dmesg, happen } = kernelLog("kern: killed");
  const node = restarting("kubelet");
  const { out, err } = await ran("restart kubelet --debug --wait=false", {
    a: {
      ...node,
      async restart(request) {
        await happen();
        return node.restart?.(request);
      },
      dmesg,
      read: boots("1"),
    },
  });
  assert.match(out, /process 8 replaced 7/);
  assert.equal(err, '03:04:05 a: restarting "kubelet"\na: kern: killed\n');
});

Deno.test("restart sends nothing to a node without such a container", async () => {
  const { restart: _, ...other } = restarting("kubelet");
  const { err, status } = await ran("restart kubelt", { a: other });
  assert.match(
    err,
    /^error: a: failed: Cannot restart "kubelt": no such container\nhint: List them with: osctl containers$/m,
  );
  assert.equal(status, 1);
});

Deno.test("restart --kubernetes takes a container without its hash, and a whole pod", async () => {
  await withWire(
    { workers: 1 },
    async ({ osctl, cluster, names: [, node] }) => {
      const containers = async () => {
        const { out } = await osctl(`containers -k -n ${node} -o jsonl`);
        return out.trimEnd().split("\n").map((row) => JSON.parse(row))
          .filter(({ podId }) => podId.startsWith("kube-system/kube-proxy-"));
      };
      const [sandbox, proxy] = await containers();
      const restart = (id: string) =>
        osctl(`restart -k ${id} --timeout 3s -n ${node} -o jsonpath={.reason}`);
      const named = await restart(`${sandbox.id}:kube-proxy`);
      assert.deepEqual(
        named.out,
        `process ${proxy.pid + 1} replaced ${proxy.pid}\n`,
      );
      assert.equal(named.status, 0, named.err);
      const whole = await restart(sandbox.id);
      assert.equal(
        whole.out,
        `process ${sandbox.pid + 1} replaced ${sandbox.pid}\n`,
      );
      assert.equal(whole.status, 0, whole.err);
      const [, last] = await containers();
      assert.equal(last.pid, proxy.pid + 2);
      assert.equal(cluster.nodes[1]!.boot.podRestarts.size, 2);
    },
  );
});
