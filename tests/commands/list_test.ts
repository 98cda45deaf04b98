import assert from "node:assert/strict";
import { run } from "../_run.ts";

const directory = 2 ** 31;
const symlink = 2 ** 27;

/** Seconds of a point in local time, since that is what the table shows. */
function seconds(...parts: [number, number, number, number, number, number]) {
  return BigInt(new Date(...parts).getTime() / 1000);
}

const files = [
  {
    name: "/etc",
    relativeName: ".",
    size: 4096n,
    mode: directory + 0o755,
    modified: seconds(2025, 11, 31, 9, 8, 7),
  },
  {
    name: "/etc/hosts",
    relativeName: "hosts",
    size: 1_234_567n,
    mode: 0o640,
    modified: seconds(2024, 1, 3, 4, 5, 6),
    uid: 50,
    gid: 51,
    xattrs: [{
      name: "security.selinux",
      data: new TextEncoder().encode("system_u:object_r:etc_t:s0\0"),
    }],
  },
  {
    name: "/etc/mtab",
    relativeName: "mtab",
    size: 9n,
    mode: symlink + 0o777,
    modified: seconds(2025, 11, 1, 1, 2, 3),
    link: "../proc/self/mounts",
  },
];

async function* list() {
  await Promise.resolve();
  yield* files;
}

Deno.test("list --long shows what is known of files", async () => {
  const { out } = await run("ls -l /etc", { a: { list } });
  assert.equal(
    out,
    `NODE   MODE         UID   GID   SIZE(B)   LASTMOD             LABEL                        NAME
a      drwxr-xr-x   0     0     4096      Dec 31 09:08:07                                  .
a      -rw-r-----   50    51    1234567   Feb  3 2024 04:05   system_u:object_r:etc_t:s0   hosts
a      Lrwxrwxrwx   0     0     9         Dec  1 01:02:03                                  mtab -> ../proc/self/mounts
`,
  );
});

Deno.test("list --humanize shows sizes and ages", async () => {
  const now = new Date(2026, 0, 2, 3, 4, 5);
  const { out } = await run("list -lH", { a: { list } }, { now });
  assert.equal(
    out,
    `NODE   MODE         UID   GID   SIZE     LASTMOD       LABEL                        NAME
a      drwxr-xr-x   0     0     4.1 kB   1 day ago                                  .
a      -rw-r-----   50    51    1.2 MB   2 years ago   system_u:object_r:etc_t:s0   hosts
a      Lrwxrwxrwx   0     0     9 B      1 month ago                                mtab -> ../proc/self/mounts
`,
  );
});
