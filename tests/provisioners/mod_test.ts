import assert from "node:assert/strict";
import { chooseProvisioner, embedded } from "../../provisioners/mod.ts";
import { embeddedState } from "../../provisioners/embedded/folder.ts";
import { writeState } from "../../provisioners/state.ts";
import { withFolder } from "../_folder.ts";

const env = () => undefined;

Deno.test("findProvisioner finds who made a cluster, and whom a user means", async () => {
  await withFolder({ "lab/": "", "odd/": "" }, async (state) => {
    const place = { state, name: "lab" };
    assert.equal(await chooseProvisioner(place, { env }), embedded);
    assert.equal(
      await chooseProvisioner(place, { env, wanted: "embedded" }),
      embedded,
    );
    await writeState(place, embeddedState("lab"));
    assert.equal(await chooseProvisioner(place, { env }), embedded);
    await assert.rejects(chooseProvisioner(place, { env, wanted: "docker" }), {
      message:
        'Cannot use provisioner "docker": cluster "lab" was created with provisioner "embedded"',
      hint: "Omit --provisioner",
      status: 2,
    });
    const odd = { state, name: "odd" };
    const provisionername = "vagrant";
    await writeState(odd, { ...embeddedState("odd"), provisionername });
    await assert.rejects(chooseProvisioner(odd, { env }), {
      message: 'Unknown provisioner "vagrant"',
      hint: "Known provisioners: embedded, docker, qemu",
      status: 2,
    });
  });
});

Deno.test("simulated nodes are no cluster before they have a state file", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    assert.equal(await embedded.show(place), undefined);
    await writeState(place, embeddedState("lab"));
    assert.deepEqual(await embedded.show(place), {
      cluster: embeddedState("lab"),
      running: false,
      off: [],
    });
  });
});
