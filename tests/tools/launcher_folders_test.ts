/** Folders from which the launcher starts nothing, since other users could change what is in them. */

import assert from "node:assert/strict";
import { needs, root } from "../_needs.ts";
import { tree, unpack, whole, withPortable } from "./_portable.ts";

function test(name: string, body: () => Promise<void>) {
  // Only root can give folders to others.
  Deno.test({ name: `launcher ${name}`, ...needs(root), fn: body });
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
      await Deno.symlink("../above/./home/", `${folder}/temp/relative`);
      await Deno.symlink("temp", `${folder}/second`);
      await Deno.symlink("/", `${folder}/root`);
      for (
        const HOME of [
          `${above}/home`,
          `${folder}/link`,
          `${folder}/temp/relative`,
          `${folder}/second/../second/relative/`,
          `${folder}/root${folder}//link`,
        ]
      ) {
        const { out } = await start({ env: { HOME } });
        assert.ok(out.includes(`[${above}/home/.cache/osctl/`), HOME);
        await Deno.remove(`${above}/home/.cache`, { recursive: true });
      }
    });
  },
);

test("uses no cache below links that lead to one another", async () => {
  await withPortable(async ({ start, folder }) => {
    await Deno.symlink("two", `${folder}/one`);
    await Deno.symlink("one", `${folder}/two`);
    const env = { HOME: `${folder}/one`, TMPDIR: `${folder}/temp` };
    const { out, err, code } = await start({ env });
    assert.deepEqual([err, code], ["", 7]);
    assert.ok(out.includes(`[${folder}/temp/osctl-`), out);
  });
});

/** Copies what was unpacked below one folder to another, with a program of somebody else in it. */
async function plant(at: string, from: string, to: string): Promise<void> {
  await Deno.mkdir(`${to}${at}`, { recursive: true });
  for (const name of whole) {
    await Deno.copyFile(`${from}${at}/${name}`, `${to}${at}/${name}`);
  }
  await Deno.writeTextFile(
    `${to}${at}/deno`,
    "#!/bin/sh\necho hijacked\nexit 7\n",
  );
}

/** Makes another user the owner of a link. */
async function giveLink(path: string): Promise<void> {
  const { success } = await new Deno.Command("chown", {
    args: ["-h", `${stranger}:${stranger}`, path],
  }).output();
  assert.ok(success);
}

for (
  const [what, spoil] of [
    [
      "in a folder of another user",
      (above: string) => Deno.chown(above, stranger, stranger),
    ],
    ["of another user in a sticky folder", async (above: string) => {
      await Deno.chmod(above, 0o1777);
      await giveLink(`${above}/home`);
    }],
    [
      "in a folder that is writable by all",
      (above: string) => Deno.chmod(above, 0o777),
    ],
  ] as const
) {
  for (const way of ["itself", "by a link of root"]) {
    test(`follows no link ${what}, ${way}, to a folder of root with files of others`, async () => {
      await withPortable(async ({ start, folder }) => {
        // As an archive or a repository that root has unpacked.
        const received = `${folder}/received`;
        await start();
        const home = `${folder}/home`;
        const at = (await unpack(`${home}/.cache`)).slice(home.length);
        await plant(at, home, received);
        const above = `${folder}/above`;
        await Deno.mkdir(above);
        await Deno.chmod(above, 0o755);
        await Deno.symlink(received, `${above}/home`);
        await Deno.symlink(`${above}/home`, `${folder}/link`);
        const HOME = way === "itself" ? `${above}/home` : `${folder}/link`;
        const env = { HOME, TMPDIR: `${folder}/temp` };
        // It is as good as any as long as nobody else can change the link.
        assert.equal((await start({ env })).out, "hijacked\n");
        await spoil(above);
        const { out, err, code } = await start({ env });
        assert.deepEqual([err, code], ["", 7]);
        assert.ok(out.includes(`[${folder}/temp/osctl-`), out);
      });
    });
  }
}

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

for (
  const [what, evil] of [
    ["a folder of his", (above: string) => `${above}/evil`],
    [
      "a link to a folder of root with files of others",
      (above: string) => `${above}/../received`,
    ],
  ] as const
) {
  test(`never runs what the owner of a sticky folder puts in the place of root's home: ${what}`, async () => {
    await withPortable(async ({ start, folder }) => {
      const above = `${folder}/above`;
      const home = `${above}/home`;
      await Deno.mkdir(home, { recursive: true });
      const env = { HOME: home, TMPDIR: `${folder}/temp` };
      await start({ env });
      const at = (await unpack(`${home}/.cache`)).slice(home.length);
      const planted = evil(above);
      await plant(at, home, planted);
      await Deno.chown(above, stranger, stranger);
      await Deno.chmod(above, 0o1777);
      if (planted === `${above}/evil`) {
        for (const path of ["", ...await tree(planted)]) {
          await Deno.chown(`${planted}/${path}`, stranger, stranger);
        }
      } else await Deno.symlink(planted, `${above}/evil`);
      const swapper = new Deno.Command(Deno.execPath(), {
        args: ["eval", swapping, "--", home, `${above}/evil`, `${above}/spare`],
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
  });
}
