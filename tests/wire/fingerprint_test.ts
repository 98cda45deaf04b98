import assert from "node:assert/strict";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { withWire } from "../_wire.ts";

Deno.test("get --insecure --cert-fingerprint takes the pinned node and shows the fingerprint of another", async () => {
  await withWire({ workers: 1 }, async ({ osctl, cluster }) => {
    for (const node of cluster.nodes) await setFault(node, "maintenance");
    const [one = "", two = ""] = cluster.listening.values();
    const wrong = "A".repeat(43) + "=";
    const get = (nodes: string, pin: string) =>
      osctl(
        `get links lo --insecure -o jsonl -n ${nodes} --cert-fingerprint ${pin}`,
      );

    const refused = await get(one, wrong);
    assert.equal(refused.status, 1);
    const [seen = ""] = /[A-Za-z0-9+/]{43}=/.exec(
      refused.err.replaceAll(wrong, ""),
    ) ?? [];
    assert.notEqual(seen, "", refused.err);

    const taken = await get(one, seen);
    assert.deepEqual({ err: taken.err, status: taken.status }, {
      err: "",
      status: 0,
    });
    assert.equal(JSON.parse(taken.out).node, one);

    const half = await get(`${one},${two}`, seen);
    assert.equal(half.status, 3);
    assert.match(half.err, /fingerprint/);
  });
});

Deno.test("get --cert-fingerprint names a value that is not a fingerprint", async () => {
  await withWire({}, async ({ osctl, cluster }) => {
    const [node = ""] = cluster.listening.values();
    const { err, status } = await osctl(
      `get links --insecure -n ${node} --cert-fingerprint xyz`,
    );
    assert.match(err, /xyz/);
    assert.equal(status, 2);
  });
});
