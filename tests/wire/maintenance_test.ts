/** Commands with --insecure on nodes without a configuration. */

import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { findRelease } from "../../config/releases.ts";
import { withFolder } from "../_folder.ts";
import { type Wire, withWire } from "../_wire.ts";

/** A test with a node of a minor version that waits for its configuration. */
async function withWaitingNode(
  minor: number,
  test: (wire: Wire, node: string) => Promise<void>,
): Promise<void> {
  const { tag } = findRelease(`v1.${minor}`);
  await withWire({ release: { tag }, userDisks: 1 }, async (wire) => {
    const [node] = wire.cluster.nodes;
    await setFault(node!, "maintenance");
    const [address = ""] = wire.cluster.listening.values();
    await test(wire, address);
  });
}

/** Reads, and a line of their output. */
const reads = {
  "version": /Tag: +v1\.1[34]\./,
  "dmesg": /: \[[^\]]+\]: .*Linux version/,
  "logs machined": /^\S+: ./m,
  "memory": /^\S+ +[\d.]+ GB +\d+ MB /m,
  "service": / machined +Running /,
  "service machined": /^STATE +Running$/m,
};

for (const minor of [13, 14]) {
  Deno.test(`v1.${minor}: --insecure reads kernel log, logs, memory, services and version of a node without a configuration`, async () => {
    await withWaitingNode(minor, async ({ osctl }, node) => {
      for (const [line, expected] of Object.entries(reads)) {
        const { out, err, status } = await osctl(`${line} -i -n ${node}`);
        assert.deepEqual([line, err, status], [line, "", 0]);
        assert.match(out, expected);
      }
      const { err, status } = await osctl(
        `dmesg -i -n ${node} --cert-fingerprint ${"A".repeat(43)}=`,
      );
      assert.match(err, /fingerprint/);
      assert.equal(status, 1);
    });
  });
}

Deno.test("v1.12: --insecure names the version that a read needs", async () => {
  await withWaitingNode(12, async ({ osctl }, node) => {
    for (const line of Object.keys(reads)) {
      const { err, status } = await osctl(`${line} -i -n ${node}`);
      assert.match(
        err,
        /^error: \S+: without a configuration, the node does not support (Version|Dmesg|Logs|Memory|ServiceList): it needs v1\.13 or later$/m,
        line,
      );
      assert.equal(status, 1);
    }
  });
});

Deno.test("v1.14: --insecure changes nothing but disks, and says what to do first", async () => {
  await withWaitingNode(14, async ({ osctl }, node) => {
    for (const line of ["meta write 12 abc", "service machined restart"]) {
      const { err, status } = await osctl(`${line} -i --yes -n ${node}`);
      assert.match(
        err,
        /not authorized: it needs the role os:(admin|operator)/,
      );
      assert.match(
        err,
        /^hint: A node without a configuration can only be read and wiped; configure it first with: osctl apply-config --insecure$/m,
      );
      assert.equal(status, 1);
    }
    const wiped = await osctl(`wipe disk vdb -i --yes -n ${node}`);
    assert.equal(wiped.status, 0, wiped.err);
  });
});

Deno.test("v1.14: support --insecure collects all that a node without a configuration shows, and no more is missing", async () => {
  await withWaitingNode(14, async ({ osctl }, node) => {
    await withFolder({}, async (folder) => {
      const path = `${folder}/support.zip`;
      const { out, err, status } = await osctl(
        `support -i -n ${node} -O ${path}`,
        { env: { OSCONFIG: `${folder}/none` } },
      );
      assert.deepEqual([out, status], ["", 0], err);
      const files = unzipSync(await Deno.readFile(path));
      const text = new TextDecoder().decode(files["manifest.json"]);
      const paths = JSON.parse(text).files.map((
        file: { readonly path: string },
      ) => file.path.replace(/^[\d.:_-]+\//, ""));
      for (
        const path of [
          ...["connect.json", "dmesg.log", "mounts", "summary"],
          ...["service-logs/machined.log", "service-logs/machined.state"],
          ...["resources/disks.block.talos.dev.yaml"],
        ]
      ) assert.ok(paths.includes(path), `${path} of ${paths}`);
    });
    const { err, status } = await osctl(`support -i --summary -n ${node}`);
    assert.match(err, /^error: Flag --summary needs a cluster/);
    assert.equal(status, 2);
  });
});
