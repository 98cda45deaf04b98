import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { withWire } from "../_wire.ts";

Deno.test("where nothing can be written, commands say so by name and send nothing", () =>
  withFolder(
    { file: "", "edit.sh": "" },
    (folder) =>
      withWire({ workers: 1 }, async ({ osctl, names, cluster }) => {
        const [, worker = ""] = names;
        const boots = cluster.nodes.map(({ boot }) => boot.id);
        // Nobody, not even root, makes folders below a file.
        const env = { OS_HOME: `${folder}/file/home`, HOME: `${folder}/file` };
        for (
          const line of [
            `reboot -n ${worker} --yes`,
            `shutdown -n ${worker} --yes`,
            `upgrade -n ${worker} --to v1.12.12 --yes`,
            `service kubelet restart -n ${worker}`,
            `runbook run builtin:rolling-upgrade --input version=v1.12.12 -y`,
          ]
        ) {
          const { err, status } = await osctl(line, { env });
          assert.match(
            err,
            /^error: .*Cannot write ".*\/file\/home.*": /m,
            line,
          );
          assert.match(err, /^hint: Choose a directory that you can/m, line);
          assert.doesNotMatch(err, /bug in osctl|\n {4}at /, line);
          assert.equal(status, 2, line);
        }
        assert.deepEqual(cluster.nodes.map(({ boot }) => boot.id), boots);
      }),
  ));

Deno.test("a support bundle that cannot be written leaves no file", () =>
  withFolder(
    {},
    (folder) =>
      withWire({ workers: 1 }, async ({ osctl, names }) => {
        const [, worker = ""] = names;
        const full = await osctl(`support -n ${worker} -O /dev/full --force`);
        assert.match(
          full.err,
          /^error: Cannot write "\/dev\/full": no space left on the disk\nhint: Free/m,
        );
        assert.equal(full.status, 2);
        const none = `${folder}/none/../a.zip`;
        const missing = await osctl(`support -n ${worker} -O ${none}`);
        assert.match(missing.err, /^error: Cannot write ".*": no such file/m);
        assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
      }),
  ));
