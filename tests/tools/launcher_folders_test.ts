/** Folders from which the launcher starts nothing, since other users could change what is in them. */

import assert from "node:assert/strict";
import { tree, unpacked, whole, withPortable } from "./_portable.ts";

// Only root can give folders to others.
const ignore = Deno.build.os === "windows" || Deno.uid() !== 0;

function test(name: string, body: () => Promise<void>) {
  Deno.test({ name: `launcher ${name}`, ignore, fn: body });
}

/** Whose folders only root can trust. */
const stranger = 12345;

for (
  const [what, spoil] of [
    [
      "belongs to another user",
      (path: string) => Deno.chown(path, stranger, stranger),
    ],
    ["is sticky and belongs to another user", async (path: string) => {
      await Deno.chown(path, stranger, stranger);
      await Deno.chmod(path, 0o1777);
    }],
    ["is writable by all", (path: string) => Deno.chmod(path, 0o777)],
    ["is writable by a group", (path: string) => Deno.chmod(path, 0o775)],
  ] as const
) {
  test(`uses no cache below a folder that ${what}`, async () => {
    await withPortable(async ({ start, folder }) => {
      const above = `${folder}/above`;
      const home = `${above}/home`;
      await Deno.mkdir(home, { recursive: true });
      await Deno.chmod(above, 0o755);
      const env = { HOME: home, TMPDIR: `${folder}/temp` };
      assert.ok((await start({ env })).out.includes(`[${home}/.cache/osctl/`));
      // Not even what was unpacked while the folder was safe.
      await spoil(above);
      const later = await start({ env });
      assert.deepEqual([later.err, later.code], ["", 7]);
      assert.ok(later.out.includes(`[${folder}/temp/osctl-`), later.out);
      await Deno.remove(`${home}/.cache`, { recursive: true });
      await start({ env });
      assert.deepEqual(await tree(home), []);
    });
  });
}

test(
  "uses a cache below a sticky folder of root, and below links of its own",
  async () => {
    await withPortable(async ({ start, folder }) => {
      const above = `${folder}/above`;
      await Deno.mkdir(`${above}/home`, { recursive: true });
      await Deno.chmod(above, 0o1777);
      await Deno.symlink(`${above}/home`, `${folder}/link`);
      for (const HOME of [`${above}/home`, `${folder}/link`]) {
        const { out } = await start({ env: { HOME } });
        assert.ok(out.includes(`[${above}/home/.cache/osctl/`), out);
      }
    });
  },
);

/** Puts two folders in each other's place, over and over, as fast as it can. */
const swapping = `
const [one, two, spare] = Deno.args;
console.log("ready");
for (;;) {
  Deno.renameSync(one, spare);
  Deno.renameSync(two, one);
  Deno.renameSync(one, two);
  Deno.renameSync(spare, one);
}`;

test(
  "never runs what the owner of a sticky folder puts in the place of root's home",
  async () => {
    await withPortable(async ({ start, folder }) => {
      const above = `${folder}/above`;
      const home = `${above}/home`;
      await Deno.mkdir(home, { recursive: true });
      const env = { HOME: home, TMPDIR: `${folder}/temp` };
      await start({ env });
      const at = (await unpacked(`${home}/.cache`)).slice(home.length);
      const evil = `${above}/evil`;
      await Deno.mkdir(`${evil}${at}`, { recursive: true });
      for (const name of whole) {
        await Deno.copyFile(`${home}${at}/${name}`, `${evil}${at}/${name}`);
      }
      await Deno.writeTextFile(
        `${evil}${at}/deno`,
        "#!/bin/sh\necho hijacked\nexit 7\n",
      );
      await Deno.chown(above, stranger, stranger);
      await Deno.chmod(above, 0o1777);
      for (const path of ["", ...await tree(evil)]) {
        await Deno.chown(`${evil}/${path}`, stranger, stranger);
      }
      const swapper = new Deno.Command(Deno.execPath(), {
        args: ["eval", swapping, "--", home, evil, `${above}/spare`],
        stdout: "piped",
        stderr: "null",
        env: { DENO_NO_UPDATE_CHECK: "1" },
      }).spawn();
      const reported = swapper.stdout.getReader();
      try {
        await reported.read();
        for (let attempt = 0; attempt < 40; attempt++) {
          const { out, code } = await start({ env });
          assert.ok(!out.includes("hijacked"), `start ${attempt}`);
          assert.equal(code, 7);
        }
      } finally {
        swapper.kill("SIGKILL");
        await reported.cancel();
        await swapper.status;
      }
    });
  },
);
