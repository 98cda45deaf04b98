import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { run } from "../../_run.ts";
import { withWire } from "../../_wire.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const version = () => ({ messages: [{}] });

/** A node that says its role, and has one file. */
function choosable(role: string, content: string) {
  return {
    version,
    get: () => ({ resource: { spec: { yamlSpec: role } } }),
    ...content !== "" && {
      async *read() {
        yield { bytes: encode(content) };
      },
    },
  };
}

Deno.test("read takes a worker where no control plane answers, and says what is down where no node does", async () => {
  const down = () => Promise.reject(new RpcError("UNAVAILABLE", "down"));
  const worker = await run("read /x", {
    a: { version: down },
    b: choosable("worker", "content"),
  });
  assert.equal(worker.out, "content");
  assert.equal(worker.err, "Using node b; choose another with --nodes\n");
  const none = await run("read /x", {
    a: { version: down },
    b: { version: down },
  });
  assert.match(none.err, /^error: a, b: down\n/);
  assert.equal(none.status, 1);
});

Deno.test("of all nodes, only control planes are asked what workers do not have; named nodes all are", async () => {
  await withWire({ controlplanes: 2, workers: 1 }, async ({ names, osctl }) => {
    const said = "Asking 2 control planes; 1 worker has no etcd\n";
    for (const line of ["etcd status", "etcd members", "etcd alarm list"]) {
      const { err, status } = await osctl(`${line} -o jsonl`);
      assert.equal(status, 0, err);
      assert.ok(err.startsWith(said), err);
    }
    const all = await osctl("etcd status -n @all -o name");
    assert.equal(all.out.trim().split("\n").length, 2);
    assert.ok(all.err.includes(said));
    const named = await osctl(`etcd status -n ${names.join(",")} -o name`);
    assert.equal(named.status, 3);
    assert.doesNotMatch(named.err, /Asking/);
  });
});

Deno.test("oneNode: cluster-wide values come from one node, or from all with --all-nodes", async () => {
  await withWire({ controlplanes: 1, workers: 1 }, async ({ names, osctl }) => {
    const rows = async (line: string) => {
      const { out, err } = await osctl(`${line} -o jsonl`);
      return {
        err,
        rows: out.trim().split("\n").map((row) => JSON.parse(row)),
      };
    };
    const once = await rows("get members");
    assert.deepEqual(once.rows.map(({ node }) => node), [names[0], names[0]]);
    assert.equal(
      once.err,
      `Read from ${names[0]}; --all-nodes reads from all 2 nodes\n`,
    );
    const all = await rows("get members --all-nodes");
    assert.deepEqual(
      all.rows.map(({ node }) => node),
      [names[0], names[0], names[1], names[1]],
    );
    assert.equal(all.err, "");
    const own = await rows("get hostname");
    assert.deepEqual(own.rows.map(({ node }) => node), names);
  });
});
