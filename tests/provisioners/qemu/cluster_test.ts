import assert from "node:assert/strict";
import {
  readCluster,
  readOutcome,
  writeCluster,
  writeOutcome,
} from "../../../provisioners/qemu/cluster.ts";
import { withFolder } from "../../_folder.ts";
import { cluster } from "./_cluster.ts";

Deno.test("files of a cluster are read as they were written, for their owner alone", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    assert.equal(await readCluster(place), undefined);
    assert.equal(await readOutcome(place), undefined);
    await writeCluster(place, cluster);
    await writeOutcome(place, { pid: 7, ready: true });
    assert.deepEqual(await readCluster(place), cluster);
    assert.deepEqual(await readOutcome(place), { pid: 7, ready: true });
    const { mode } = await Deno.stat(`${state}/lab/qemu.json`);
    assert.equal(mode! & 0o777, 0o600);
  });
});
