import assert from "node:assert/strict";
import { run } from "../_run.ts";
import { fileKind, modeText, octalMode } from "../../commands/list.ts";

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

const requests: unknown[] = [];

async function* list(request: unknown) {
  requests.push(request);
  await Promise.resolve();
  yield* files;
}

async function readRequest(line: string) {
  const { status, err } = await run(line, { a: { list } });
  assert.deepEqual({ status, err }, { status: 0, err: "" });
  return requests.at(-1);
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
    `NODE   MODE         UID   GID   SIZE(B)   LASTMOD       LABEL                        NAME
a      drwxr-xr-x   0     0     4.1 kB    1 day ago                                  .
a      -rw-r-----   50    51    1.2 MB    2 years ago   system_u:object_r:etc_t:s0   hosts
a      Lrwxrwxrwx   0     0     9 B       1 month ago                                mtab -> ../proc/self/mounts
`,
  );
});

Deno.test("list asks for what was typed", async () => {
  const plain = {
    root: "/",
    recurse: false,
    recursionDepth: 1,
    types: [],
    reportXattrs: false,
  };
  assert.deepEqual(await readRequest("list"), plain);
  assert.deepEqual(await readRequest("list -d 3 /var"), {
    ...plain,
    root: "/var",
    recurse: true,
    recursionDepth: 3,
  });
  assert.deepEqual(await readRequest("list --recurse"), {
    ...plain,
    recurse: true,
    recursionDepth: -1,
  });
  assert.deepEqual(await readRequest("list -l -t fd -t l,L"), {
    ...plain,
    reportXattrs: true,
    types: [0, 1, 2, 2],
  });
});

/** Mode as Go sends it: bits for the kind, and permissions. */
function bits(permissions: number, ...set: number[]): number {
  return set.reduce((mode, bit) => mode + 2 ** bit, permissions);
}

Deno.test("modeText prints kinds and permissions", () => {
  assert.equal(modeText(0o644), "-rw-r--r--");
  assert.equal(modeText(bits(0o755, 31)), "drwxr-xr-x");
  assert.equal(modeText(bits(0o777, 27)), "Lrwxrwxrwx");
  assert.equal(modeText(bits(0o660, 26)), "Drw-rw----");
  assert.equal(modeText(bits(0o666, 26, 21)), "Dcrw-rw-rw-");
  assert.equal(modeText(bits(0o600, 25)), "prw-------");
  assert.equal(modeText(bits(0o755, 24)), "Srwxr-xr-x");
  assert.equal(modeText(bits(0o777, 31, 20)), "dtrwxrwxrwx");
  assert.equal(modeText(bits(0o755, 23)), "urwxr-xr-x");
  assert.equal(modeText(bits(0o755, 23, 22)), "ugrwxr-xr-x");
});

Deno.test("octalMode has four digits", () => {
  assert.equal(octalMode(0o644), "0644");
  assert.equal(octalMode(bits(0o007, 31)), "0007");
  assert.equal(octalMode(bits(0o755, 23)), "4755");
  assert.equal(octalMode(bits(0o777, 31, 20)), "1777");
});

Deno.test("fileKind names what a file is", () => {
  const all = [
    bits(0o644),
    bits(0o755, 31),
    bits(0o777, 27),
    bits(0o600, 25),
    bits(0o600, 24),
    bits(0o600, 26),
    bits(0o600, 26, 21),
    bits(0o600, 19),
  ];
  assert.deepEqual(all.map(fileKind), [
    "file",
    "directory",
    "symlink",
    "pipe",
    "socket",
    "device",
    "device",
    "other",
  ]);
});
