import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import {
  diskSizes,
  memorySizes,
} from "../../../../workflows/checks/health/size_checks.ts";
import { resource, versionOf } from "../_site.ts";
import { healthSite, missing } from "./_health_site.ts";

const mebibytes = (count: number) => count * 1024 * 1024;

/** A node with so much memory and room for data, in MiB; without a number it does not show that. */
function node(memory: number, room?: number, mode = "metal") {
  const memtotal = BigInt(memory * 1024);
  return {
    version: () => versionOf("v1.12.11", mode),
    memory: () => ({ messages: [{ meminfo: { memtotal } }] }),
    get() {
      if (room === undefined) throw new RpcError("PERMISSION_DENIED", "no");
      return resource({ size: mebibytes(room) });
    },
  };
}

Deno.test("memory has to be enough for the role; containers have none of their own", async () => {
  const good = healthSite({
    c1: node(1_698),
    w1: node(874),
    w2: node(1, 1, "container"),
  });
  assert.deepEqual(await memorySizes.look(good), { state: "ok" });
  const small = healthSite({ c1: node(1_697), w1: node(873) });
  assert.equal(
    missing(await memorySizes.look(small)),
    "c1: has 1697 MiB of memory and needs 1698 MiB; w1: has 873 MiB of memory and needs 874 MiB",
  );
});

Deno.test("there has to be room for data", async () => {
  const look = (nodes: Parameters<typeof healthSite>[0]) =>
    diskSizes.look(healthSite(nodes));
  assert.deepEqual(await look({ c1: node(1, 3_932) }), { state: "ok" });
  assert.equal(
    missing(await look({ c1: node(1, 3_931) })),
    "c1: has 3931 MiB for data and needs 3932 MiB",
  );
  assert.deepEqual(await look({ c1: node(1, 4_000), w1: node(1) }), {
    state: "skipped",
    reason: "a node does not show its volumes",
  });
});
