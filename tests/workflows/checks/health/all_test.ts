import assert from "node:assert/strict";
import { type RpcCode, RpcError } from "../../../../errors.ts";
import { resource, versionReply } from "../_check_context.ts";
import { healthContext, lookFor, missing } from "./_health_context.ts";

/** A member by number; its peer URL names the address `c` and the number. */
const member = (id: number, isLearner = false) => ({
  id: BigInt(id),
  hostname: id > 3 ? "" : `node-${id}`,
  peerUrls: [`https://c${id}:2380`],
  isLearner,
});

const listing = (...members: readonly ReturnType<typeof member>[]) => ({
  etcdMemberList: () => ({ messages: [{ members }] }),
});

const silent = {
  etcdMemberList: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")),
};

Deno.test("control planes have to list the same members", async () => {
  const look = async (...all: Parameters<typeof healthContext>[0][string][]) =>
    missing(
      await lookFor(
        "etcd members to be consistent across nodes",
        healthContext(
          Object.fromEntries(all.map((one, i) => [`c${i + 1}`, one])),
        ),
      ),
    );
  const both = listing(member(1), member(2));
  assert.equal(await look(both, listing(member(2), member(1))), "ok");
  assert.equal(
    await look(both, listing(member(1), member(2, true))),
    "c2 lists the members node-1, node-2 (learner), and c1 lists node-1, node-2",
  );
  assert.equal(
    await look(silent, both, listing(member(1), member(7))),
    "c1: gone; c3 lists the members 0000000000000007, node-1, and c2 lists node-1, node-2",
  );
  assert.equal(await look(silent), "c1: gone");
});

Deno.test("members have to be on control planes", async () => {
  const look = async (node: Parameters<typeof healthContext>[0][string]) =>
    missing(
      await lookFor(
        "etcd members to be control plane nodes",
        healthContext({ c1: node }),
      ),
    );
  assert.equal(await look(listing(member(1))), "ok");
  assert.equal(
    await look(listing(member(1), member(2), member(4))),
    "member node-2 is at c2, which is not a control plane; member 0000000000000004 is at c4, which is not a control plane",
  );
  assert.equal(await look(silent), "c1: gone");
});

Deno.test("nodes have to have booted", async () => {
  const node = (stage: string) => ({
    get: () => resource({ stage, status: { ready: true } }),
  });
  const found = await lookFor(
    "all nodes to finish boot sequence",
    healthContext({ c1: node("running"), w1: node("booting"), w2: node("") }),
  );
  assert.equal(
    missing(found),
    "w1: stage is booting; w2: stage is not known",
  );
});

/** A node that has found these things, or refuses to tell. */
function finding(texts: readonly string[] | RpcCode) {
  return {
    async *list() {
      await Promise.resolve();
      if (typeof texts === "string") throw new RpcError(texts, "no");
      for (const message of texts) {
        const { resource: one } = resource({ message });
        yield { resource: { ...one, metadata: { id: `of ${message}` } } };
      }
      if (texts.includes("odd")) yield { resource: { metadata: { id: "x" } } };
    },
  };
}

Deno.test("nodes must not have found anything that needs a person", async () => {
  const look = (nodes: Parameters<typeof healthContext>[0]) =>
    lookFor("no diagnostics", healthContext(nodes));
  assert.deepEqual(await look({ c1: finding([]) }), { ok: true, seen: "" });
  assert.equal(
    missing(
      await look({ c1: finding(["odd", "b"]), w1: finding("UNAVAILABLE") }),
    ),
    "w1: no; c1: odd, b, x",
  );
  assert.deepEqual(
    await look({ c1: finding([]), w1: finding("PERMISSION_DENIED") }),
    { ok: true, seen: "a node does not report its diagnostics", skipped: true },
  );
});

const mebibytes = (count: number) => count * 1024 * 1024;

/** A node with so much memory and room for data, in MiB; without a number it does not show that. */
function node(memory: number, room?: number, mode = "metal") {
  const memtotal = BigInt(memory * 1024);
  return {
    version: () => versionReply("v1.12.11", mode),
    memory: () => ({ messages: [{ meminfo: { memtotal } }] }),
    get() {
      if (room === undefined) throw new RpcError("PERMISSION_DENIED", "no");
      return resource({ size: mebibytes(room) });
    },
  };
}

Deno.test("memory has to be enough for the role; containers have none of their own", async () => {
  const good = healthContext({
    c1: node(1_698),
    w1: node(874),
    w2: node(1, 1, "container"),
  });
  assert.deepEqual(await lookFor("all nodes memory sizes", good), {
    ok: true,
    seen: "",
  });
  const small = healthContext({ c1: node(1_697), w1: node(873) });
  assert.equal(
    missing(await lookFor("all nodes memory sizes", small)),
    "c1: has 1697 MiB of memory and needs 1698 MiB; w1: has 873 MiB of memory and needs 874 MiB",
  );
});

Deno.test("there has to be room for data", async () => {
  const look = (nodes: Parameters<typeof healthContext>[0]) =>
    lookFor("all nodes disk sizes", healthContext(nodes));
  assert.deepEqual(await look({ c1: node(1, 3_932) }), { ok: true, seen: "" });
  assert.equal(
    missing(await look({ c1: node(1, 3_931) })),
    "c1: has 3931 MiB for data and needs 3932 MiB",
  );
  assert.deepEqual(await look({ c1: node(1, 4_000), w1: node(1) }), {
    ok: true,
    seen: "a node does not report its volumes",
    skipped: true,
  });
});
