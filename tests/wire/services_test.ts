import assert from "node:assert/strict";
import { withWire } from "../_wire.ts";

Deno.test("service restarts a service, and status shows that it happened", async () => {
  await withWire({}, async ({ osctl, cluster }) => {
    const restarted = await osctl(
      "service kubelet restart --nodes @controlplane -o jsonl",
    );
    const { node, ...answer } = JSON.parse(restarted.out);
    assert.deepEqual(answer, {
      id: "kubelet",
      action: "restart",
      outcome: "done",
      response: "Running: Health check successful",
    });
    assert.equal(node, cluster.nodes[0]?.identity.address);
    await cluster.settled();
    const { out } = await osctl("service kubelet -o jsonl");
    const { state, health, events } = JSON.parse(out);
    assert.deepEqual([state, health], ["Running", "healthy"]);
    const started = events.filter((event: { readonly message: string }) =>
      event.message.startsWith("Started task kubelet")
    );
    assert.equal(started.length, 2);
  });
});

Deno.test("service tells what the node says of a service it does not have", async () => {
  await withWire({}, async ({ osctl, names }) => {
    const { out, err, status } = await osctl(
      `service nothing start --nodes ${names[0]}`,
    );
    assert.equal(out, "");
    assert.match(err, new RegExp(`^error: \\S+ \\(${names[0]}\\): .*nothing`));
    assert.equal(status, 1);
  });
});

Deno.test("time, mounts, containers and processes have answers of every node", async () => {
  await withWire({ workers: 1 }, async ({ osctl, names }) => {
    const lines = [
      "time",
      "time --check pool.example.org",
      "mounts",
      "containers",
      "containers --kubernetes",
      "processes --sort cpu",
    ];
    for (const line of lines) {
      const { out, err, status } = await osctl(`${line} -o jsonpath=.node`);
      assert.deepEqual([err, status], ["", 0], line);
      assert.deepEqual(
        [...new Set(out.trim().split("\n"))].sort(),
        names,
        line,
      );
    }
  });
});

Deno.test("version shows every node after the client", async () => {
  await withWire({ workers: 1 }, async ({ osctl, names }) => {
    const { out } = await osctl("version");
    const [, table = ""] = out.split("\nServer:\n");
    const [header, ...rows] = table.trimEnd().split("\n");
    assert.match(header ?? "", /^NODE +TAG +SHA +BUILT +GO VERSION/);
    assert.deepEqual(rows.map((row) => row.split(" ")[0]), names);
    assert.ok(rows.every((row) => row.endsWith("RBAC")), out);
    assert.match(out, /^Client:\n\tTag:/);
  });
});

Deno.test("the name of a service, log or container that a node lacks is followed by the one that was meant", async () => {
  await withWire({}, async ({ osctl, names: [node] }) => {
    const lines = {
      "service kublet": 'No node has a service "kublet"',
      "service kublet restart": 'service "kublet" not defined',
      "logs kublet": 'no log named "kublet"',
      "restart aipd": 'Cannot restart "aipd": no such container',
    };
    for (const [line, message] of Object.entries(lines)) {
      const { err, status } = await osctl(`${line} -n ${node}`);
      assert.ok(err.split("\n")[0]?.endsWith(message), err);
      assert.match(err, /^hint: Did you mean "(kubelet|apid)"\?$/m);
      assert.equal(status, 1);
    }
  });
});
