/** `wipe lv|vg|pv|md` on nodes with LVM objects and an array. */

import assert from "node:assert/strict";
import { setFault } from "../../simulator/faults/set_fault.ts";

import { findRelease } from "../../config/releases.ts";
import type { UserDisk } from "../../simulator/state/node_disk.ts";
import { type Wire, withWire } from "../_wire.ts";

const userDisks: readonly UserDisk[] = [
  {
    name: "vdb",
    partitions: [{ number: 1, filesystem: "lvm2-pv" }],
    group: { name: "data", volumes: ["db", "logs"] },
  },
  { name: "vdc", partitions: [], array: "mirror" },
  { name: "vdd", partitions: [], array: "mirror" },
];

function withVolumes(
  minor: number,
  test: (wire: Wire) => Promise<void>,
  workers = 0,
): Promise<void> {
  const { tag } = findRelease(`v1.${minor}`);
  return withWire({ release: { tag }, userDisks, workers }, test);
}

const array = "/dev/disk/by-id/md-name-mirror";

Deno.test("v1.14: wipe removes a logical volume, its group, the physical volume and an array, and get shows what is left", async () => {
  await withVolumes(14, async ({ osctl, names: [node] }) => {
    const ids = async (type: string) =>
      (await osctl(`get ${type} -o name`)).out.replaceAll(/^.*\//gm, "");
    assert.match(
      (await osctl("get lvs")).out,
      /\/dev\/data\/db +data +linear +1\.1 GB +active$/m,
    );
    assert.match(
      (await osctl("get mdarraystatuses")).out,
      /raid1 +ready +idle +\/dev\/disk\/by-id\/md-name-mirror$/m,
    );

    const early = await osctl(`wipe pv /dev/vdb1 --yes -n ${node}`);
    assert.match(early.err, /failed: lvm: resource in use/);
    assert.equal(early.status, 1);

    const lv = await osctl(`wipe lv data/db --yes -n ${node}`);
    assert.match(lv.err, /logical volume data\/db: 1\.1 GB, linear$/m);
    assert.match(lv.out, /done +removed logical volume data\/db$/m);
    assert.equal(await ids("lvs"), "data-logs\n");

    const vg = await osctl(`wipe vg data --yes -n ${node}`);
    assert.match(
      vg.err,
      /volume group data: 11 GB, with all its 1 logical volumes$/m,
    );
    assert.equal(vg.status, 0, vg.err);
    assert.deepEqual([await ids("vgs"), await ids("lvs")], ["", ""]);

    const pv = await osctl(`wipe pv /dev/vdb1 --yes -n ${node}`);
    assert.match(pv.out, /done +removed physical volume \/dev\/vdb1$/m);
    const md = await osctl(`wipe md ${array} --yes -n ${node}`);
    assert.match(md.err, /array .*: raid1, of \/dev\/vdc, \/dev\/vdd$/m);
    assert.equal(md.status, 0, md.err);

    const gone = await osctl(`wipe lv data/db --yes -n ${node}`);
    assert.match(gone.err, /There is no logical volume "data\/db"/);
    assert.match(gone.err, /^hint: List them with: osctl get lvs$/m);
    assert.equal(gone.status, 1);
  });
});

Deno.test("v1.14: wipe --insecure removes volumes of a node without a configuration", async () => {
  await withVolumes(14, async ({ osctl, cluster }) => {
    await setFault(cluster.nodes[0]!, "maintenance");
    const [node = ""] = cluster.listening.values();
    for (
      const line of ["lv data/db", "vg data", "pv /dev/vdb1", `md ${array}`]
    ) {
      const { out, err, status } = await osctl(
        `wipe ${line} --insecure --yes -n ${node}`,
      );
      assert.equal(status, 0, err);
      assert.match(out, /done +removed /);
    }
    const { err } = await osctl(`wipe md ${array} -i --yes -n ${node}`);
    assert.match(err, /failed: md: array not found/);
  });
});

Deno.test("v1.13: wipe lv, vg, pv and md name the version that they need, and send nothing", async () => {
  await withVolumes(13, async ({ osctl, names: [node] }) => {
    for (
      const line of ["lv data/db", "vg data", "pv /dev/vdb1", `md ${array}`]
    ) {
      const { err, status } = await osctl(`wipe ${line} --yes -n ${node}`);
      const [kind] = line.split(" ");
      assert.match(
        err,
        new RegExp(
          `wipe ${kind} needs v1\\.14 or later, and the node runs v1\\.13\\.9`,
        ),
      );
      assert.equal(status, 5);
    }
  });
});

Deno.test("v1.14: wipe lv removes the volume of nodes that answer, and names the one that is down", async () => {
  await withVolumes(
    14,
    async ({ osctl, cluster, names: [node, down = ""] }) => {
      await cluster.setFault(down, "unavailable");
      const line = `wipe lv data/db --yes -n ${node},${down}`;
      const { out, err, status } = await osctl(line);
      assert.match(
        out,
        RegExp(`^${node} +done +removed logical volume data/db$`, "m"),
      );
      assert.match(
        err,
        RegExp(
          `^${down} +\\S+ +worker +\\S+ +- +not known: cannot connect to `,
          "m",
        ),
      );
      assert.match(err, RegExp(`^error: \\S+ \\(${down}\\): failed: `, "m"));
      assert.equal(status, 3);
      await cluster.setFault(down, "unavailable", false);
      const again = await osctl(line);
      assert.match(again.out, RegExp(`^${down} +done +removed`, "m"));
    },
    1,
  );
});
