import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
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

async function requestOf(line: string) {
  const { status, err } = await run(line, { a: { list } });
  assert.deepEqual({ status, err }, { status: 0, err: "" });
  return requests.at(-1);
}

Deno.test("list shows names of each node", async () => {
  const { out, err, status } = await run("list /etc", {
    "10.0.0.2": { list },
    b: { list },
  });
  assert.equal(
    out,
    `NODE       NAME
10.0.0.2   .
10.0.0.2   hosts
10.0.0.2   mtab
b          .
b          hosts
b          mtab
`,
  );
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

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

Deno.test("list -o jsonl carries everything", async () => {
  const modified = 1_767_323_045n;
  const { out } = await run("list -o jsonl", {
    a: {
      async *list() {
        await Promise.resolve();
        yield { ...files[1], modified };
      },
    },
  });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    name: "hosts",
    path: "/etc/hosts",
    kind: "file",
    mode: "-rw-r-----",
    permissions: "0640",
    uid: 50,
    gid: 51,
    size: 1_234_567,
    modified: "2026-01-02T03:04:05Z",
    link: "",
    label: "system_u:object_r:etc_t:s0",
  });
});

Deno.test("list asks for what was typed", async () => {
  const plain = {
    root: "/",
    recurse: false,
    recursionDepth: 1,
    types: [],
    reportXattrs: false,
  };
  assert.deepEqual(await requestOf("list"), plain);
  assert.deepEqual(await requestOf("list -d 3 /var"), {
    ...plain,
    root: "/var",
    recurse: true,
    recursionDepth: 3,
  });
  assert.deepEqual(await requestOf("list --recurse"), {
    ...plain,
    recurse: true,
    recursionDepth: -1,
  });
  assert.deepEqual(await requestOf("list -l -t fd -t l,L"), {
    ...plain,
    reportXattrs: true,
    types: [0, 1, 2, 2],
  });
});

Deno.test("list tells files that cannot be read and continues", async () => {
  const { out, err, status } = await run("list", {
    a: {
      async *list() {
        yield files[0];
        await Promise.resolve();
        yield { name: "/etc/shadow", error: "permission denied" };
        yield files[2];
      },
    },
    b: { list },
  });
  assert.equal(out.split("\n").length, 7);
  assert.equal(
    err,
    `warning: a: Cannot read "/etc/shadow": permission denied
error: a: 1 file could not be read
`,
  );
  assert.equal(status, 3);
});

Deno.test("list keeps what a node says of a file on the line of its warning", async () => {
  const { err } = await run("list", {
    a: {
      async *list() {
        yield await Promise.resolve({
          name: "/x\nhint: run this",
          error: "no\r\u202e\nerror: gone",
        });
      },
    },
  });
  assert.equal(
    err,
    `warning: a: Cannot read "/x hint: run this": no error: gone
error: a: 1 file could not be read
`,
  );
});

Deno.test("list still shows the healthy nodes when one fails", async () => {
  const { out, err, status } = await run("list", {
    a: { list },
    b: {
      // deno-lint-ignore require-yield
      async *list() {
        await Promise.resolve();
        throw new RpcError("UNAVAILABLE", "refused");
      },
    },
    c: { list },
  });
  assert.equal(out.split("\n").length, 8);
  assert.equal(err, "error: b: refused\n");
  assert.equal(status, 3);
});

Deno.test("list refuses an unknown kind and names it", async () => {
  const { out, err, status } = await run("list --type fx");
  assert.equal(out, "");
  assert.equal(
    err,
    `error: Invalid value "fx" for -t, --type: "x" is not one of the types f, d, l
Usage: osctl list [<path>] [flags]
Run "osctl list --help" for its flags
`,
  );
  assert.equal(status, 2);
});

Deno.test("list refuses --recurse together with --depth", async () => {
  const { err, status } = await run("list -r -d 2", { a: {} });
  assert.match(
    err,
    /^error: Flags --recurse and --depth 2 cannot be combined\n/,
  );
  assert.equal(status, 2);
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
