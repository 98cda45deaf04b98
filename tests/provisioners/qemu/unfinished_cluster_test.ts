import assert from "node:assert/strict";
import {
  begunMachines,
  finishVirtualMachines,
  writeBegun,
} from "../../../provisioners/qemu/unfinished_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { spec } from "./_spec.ts";

Deno.test("unfinished cluster: found again with the same options only, until it is finished", async () => {
  await withFolder({}, async (state) => {
    const place = { state, name: "lab" };
    assert.equal(await begunMachines(place, "1"), undefined);
    await Deno.mkdir(`${state}/lab`);
    // Left by the first moment of a creation.
    await Deno.writeTextFile(`${state}/lab/.begun.json.1`, "");
    assert.equal(await begunMachines(place, "1"), undefined);
    const configurations = new Map([["lab-worker-1", "machine: {}"]]);
    await writeBegun(place, { ...spec, wishes: "1", configurations });
    const { mode } = await Deno.stat(`${state}/lab/begun.json`);
    assert.equal((mode ?? 0) & 0o777, 0o600);
    assert.deepEqual(await begunMachines(place, "1"), {
      plan: spec.plan,
      access: spec.access,
      agent: undefined,
      configurations,
    });
    await assert.rejects(begunMachines(place, "2"), {
      message:
        'Cannot continue cluster "lab": it was created with other options',
      hint:
        "Use the same options, or remove it with: osctl cluster destroy --name lab",
    });
    await Deno.writeTextFile(`${state}/lab/qemu.json`, "{}");
    await finishVirtualMachines(place);
    await assert.rejects(begunMachines(place, "1"), {
      message: `Cannot create cluster "lab": "${state}/lab" exists`,
    });
  });
});
