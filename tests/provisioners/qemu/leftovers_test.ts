import assert from "node:assert/strict";
import {
  killByFile,
  killMachine,
} from "../../../provisioners/qemu/leftovers.ts";
import { exists } from "../../../lib/files/exists.ts";
import { withFolder } from "../../_folder.ts";
import { machine } from "./_cluster.ts";

Deno.test("killMachine kills processes of the machine, and no other that has got their id", async () => {
  await withFolder({}, async (folder) => {
    const own = new Deno.Command("sh", { args: ["-c", "sleep 60; :", folder] })
      .spawn();
    const other = new Deno.Command("sleep", { args: ["60"] }).spawn();
    const pid = `${folder}/${machine.name}.pid`;
    await Deno.writeTextFile(pid, `${own.pid}\n`);
    await Deno.mkdir(`${folder}/${machine.name}-tpm`);
    await Deno.writeTextFile(
      `${folder}/${machine.name}-tpm/swtpm.pid`,
      `${other.pid}\n`,
    );
    await killMachine({ ...machine, folder });
    assert.equal((await own.status).signal, "SIGTERM");
    assert.equal(await exists(pid), false);
    other.kill("SIGKILL");
    assert.equal((await other.status).signal, "SIGKILL");
    await killByFile(`${folder}/missing`, () => true);
  });
});
