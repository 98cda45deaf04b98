import assert from "node:assert/strict";
import {
  type SnapshotStatus,
  verifySnapshot,
} from "../../../../workflows/etcd/snapshot/verify.ts";
import { withFolder } from "../../../_folder.ts";
import {
  bucket,
  bytes,
  database,
  free,
  inline,
  leaf,
  type MetaSpec,
  number,
  pageSize,
  type PageSpec,
  seal,
  withFile,
  withSnapshot,
} from "./_bolt.ts";
import { revision, snapshotDatabase, toText } from "./_snapshot.ts";
import {
  claimFreePages,
  firstLostPage,
  openDatabase,
} from "../../../../lib/bolt/bolt.ts";

/** Verifies a file; its path is removed from errors. */
async function verify(
  content: Uint8Array,
  signal = new AbortController().signal,
): Promise<SnapshotStatus> {
  return await withFile(content, (path) => verifySnapshot(path, signal));
}

async function fault(content: Uint8Array): Promise<readonly string[]> {
  try {
    await verify(content);
  } catch (error) {
    assert.ok(error instanceof Error);
    const hint = "hint" in error ? String(error.hint) : "";
    return [error.message.replace(/"\/.*?"/, "FILE"), hint];
  }
  return [];
}

const whole = await seal(snapshotDatabase);

const changed =
  "It was damaged after it left the node: copy it again, or take another snapshot";
const fromNode =
  "It was already damaged on the node: take a snapshot of another member";
const again = "Take another snapshot";

Deno.test("verifySnapshot reads the figures that etcd's own tool reads", async () => {
  // `etcdctl snapshot status` 3.4 says of this file: hash 2635465842, revision 6, 13 keys, 9216 bytes.
  assert.deepEqual(await verify(whole), {
    fileSize: 9248,
    trailer: "valid",
    hash: "9d160472",
    revision: 6,
    totalEntries: 13,
    totalKeys: 2,
    totalSize: 9216,
    members: [
      {
        id: "8e9e05c52164694d",
        name: "one",
        peerUrls: ["http://10.0.0.2:2380"],
        clientUrls: ["http://10.0.0.2:2379"],
        learner: false,
      },
      {
        id: "091bc3c398fb3c14",
        name: "",
        peerUrls: ["http://10.0.0.3:2380"],
        clientUrls: [],
        learner: true,
      },
    ],
    removed: ["00000000000000a1"],
    clusterVersion: "3.6.0",
    storageVersion: "3.6.0",
    consistentIndex: 12,
    term: 3,
    compactRevision: 2,
    warnings: [],
  });
});

Deno.test("verifySnapshot takes a copy of a database, which has no trailer", async () => {
  const { trailer, fileSize, hash } = await verify(snapshotDatabase);
  assert.deepEqual([trailer, fileSize, hash], ["absent", 9216, "9d160472"]);
  const room = new Uint8Array(3 * 9216);
  room.set(snapshotDatabase);
  assert.equal((await verify(room)).totalSize, 9216);
});

Deno.test("verifySnapshot warns of a meta page that is not in force", async () => {
  const copy = snapshotDatabase.slice();
  copy[pageSize + 16] = 0;
  assert.deepEqual((await verify(copy)).warnings, [
    "page 1: its magic number is 0xed0cda00, not 0xed0cdaed",
  ]);
});

Deno.test("verifySnapshot finds files that are truncated", async () => {
  assert.deepEqual(await fault(whole.subarray(0, 5000)), [
    "Snapshot FILE is damaged: it is truncated: page 0 says 9 pages of 1024 bytes, there are 5000 bytes",
    again,
  ]);
  // As long as a file with a trailer would be.
  assert.deepEqual(await fault(whole.subarray(0, 8192 + 32)), [
    "Snapshot FILE is damaged: it is truncated: page 0 says 9 pages of 1024 bytes, there are 8192 bytes",
    changed,
  ]);
  assert.deepEqual(await fault(whole.subarray(0, 9216 + 31)), [
    "Snapshot FILE is damaged: it is truncated: only 31 of 32 bytes of its trailer are left",
    again,
  ]);
  assert.deepEqual(await fault(new Uint8Array()), [
    "Snapshot FILE is damaged: page 0 is missing, and there is no other meta page",
    again,
  ]);
});

Deno.test("verifySnapshot finds bytes that do not belong to the file", async () => {
  const longer = new Uint8Array(9216 + 100);
  longer.set(snapshotDatabase);
  assert.deepEqual(await fault(longer), [
    "Snapshot FILE is damaged: 100 bytes after its last page are neither pages nor a trailer",
    again,
  ]);
});

Deno.test("verifySnapshot tells changes on the way from damage within the node", async () => {
  const page = 4 * pageSize;
  const copy = snapshotDatabase.slice();
  copy[page] = 7;
  const what = "Snapshot FILE is damaged: page 4: its header is that of page 7";
  assert.deepEqual(await fault(copy), [what, again]);
  assert.deepEqual(await fault(await seal(copy)), [what, fromNode]);
  const late = whole.slice();
  late[page] = 7;
  assert.deepEqual(await fault(late), [what, changed]);
});

Deno.test("verifySnapshot finds changes that only the trailer shows", async () => {
  // Within the value of 3000 bytes.
  const value = whole.slice();
  value[7000] = 0;
  assert.match(
    (await fault(value)).join(),
    /FILE is damaged: its SHA-256 is [0-9a-f]{64}, its trailer has [0-9a-f]{64},It was damaged/,
  );
  const meta = whole.slice();
  meta[pageSize + 16] = 0;
  assert.match(
    (await fault(meta)).join(),
    /its trailer has [0-9a-f]{64}; page 1: its magic number is 0xed0cda00/,
  );
});

Deno.test("verifySnapshot finds every byte that changes in a snapshot", async () => {
  await withFile(whole, async (path) => {
    using file = await Deno.open(path, { write: true });
    for (let at = 0; at < whole.length; at += 61) {
      for (const value of [(whole[at] ?? 0) ^ 0x10, whole[at] ?? 0]) {
        await file.seek(at, Deno.SeekMode.Start);
        await file.write(Uint8Array.of(value));
        const checked = verifySnapshot(path, new AbortController().signal);
        if (value === whole[at]) await checked;
        else await assert.rejects(checked, { name: "OsctlError" }, `${at}`);
      }
    }
  });
});

/** A database with the revisions given, and a bucket beside them. */
function withKeys(
  elements: Parameters<typeof leaf>[0],
  more: readonly PageSpec[] = [],
  meta: MetaSpec = {},
) {
  const root = leaf([bucket("key", 3), inline("lease", [["l", ""]])]);
  return database([root, leaf(elements), ...more], meta);
}

Deno.test("verifySnapshot refuses keys and values etcd would not read", async () => {
  assert.deepEqual(await fault(withKeys([["k", toText("a", "1")]])), [
    "Snapshot FILE is damaged: page 3: element 0: its key is not a revision",
    again,
  ]);
  assert.deepEqual(await fault(withKeys([[revision(2), "x"]])), [
    "Snapshot FILE is damaged: page 3: element 0: its value is not an etcd key-value pair",
    again,
  ]);
  assert.deepEqual(await fault(withKeys([[revision(2), "x".repeat(16), 1]])), [
    "Snapshot FILE is damaged: page 3: element 0: it is a bucket within a bucket",
    again,
  ]);
});

Deno.test("verifySnapshot counts on the list of free pages", async () => {
  const keys = [[revision(2), toText("a", "1")]] as const;
  const list = withKeys(keys, [free([5]), leaf([])], { freelist: 4 });
  assert.equal((await verify(list)).totalKeys, 1);
  const lost = withKeys(keys, [free([]), leaf([])], { freelist: 4 });
  assert.deepEqual(await fault(lost), [
    "Snapshot FILE is damaged: page 5: it is neither used nor free",
    again,
  ]);
  const used = withKeys(keys, [free([3])], { freelist: 4 });
  assert.deepEqual(await fault(used), [
    "Snapshot FILE is damaged: page 3: it is used more than once, the second time by page 2",
    again,
  ]);
});

Deno.test("verifySnapshot reads an empty etcd", async () => {
  const { revision, totalEntries, totalKeys } = await verify(withKeys([]));
  assert.deepEqual([revision, totalEntries, totalKeys], [0, 1, 0]);
});

Deno.test("verifySnapshot tells other databases from those of etcd", async () => {
  assert.deepEqual(await fault(database([leaf([inline("x", [])])])), [
    'Snapshot FILE is a bolt database but not an etcd one: it has no bucket "key"',
    "undefined",
  ]);
  assert.match(
    (await fault(bytes("\x1f\x8b".padEnd(5000)))).join(),
    /page 0: its magic number is 0x20202020, not 0xed0cdaed/,
  );
});

Deno.test("verifySnapshot tells when there is no such file", async () => {
  const { signal } = new AbortController();
  await withFolder({}, async (folder) => {
    await assert.rejects(verifySnapshot(`${folder}/none`, signal), {
      name: "ConfigError",
      status: 2,
    });
  });
});

Deno.test({
  name: "verifySnapshot closes what it opened",
  sanitizeResources: true,
  async fn() {
    await verify(whole);
    await fault(whole.subarray(0, 5000));
    await assert.rejects(verifySnapshot("/", new AbortController().signal), {
      message: 'Cannot read "/": it is not a regular file',
    });
  },
});

Deno.test("verifySnapshot stops when it is asked to", async () => {
  const stop = new AbortController();
  stop.abort(new Error("enough"));
  await assert.rejects(verify(whole, stop.signal), { message: "enough" });
  const value = toText("a", "x".repeat(16_000));
  const revisions = Array.from(
    { length: 600 },
    (_, i) => [revision(i + 2), value] as const,
  );
  // Without a trailer only the pages are read, 8 MiB of them at once.
  await assert.rejects(verify(withKeys(revisions), stop.signal), {
    message: "enough",
  });
});

/** Opens a database of seven pages whose list of free pages is page 2; returns the first lost page. */
async function listLost(list: PageSpec, freelist?: number) {
  const others = Array.from({ length: 4 }, () => leaf([]));
  const content = database([list, ...others], {
    pages: 7,
    ...freelist === undefined ? {} : { freelist },
  });
  return await withSnapshot(content, (snapshot) => {
    const opened = openDatabase(snapshot);
    claimFreePages(opened);
    return firstLostPage(opened);
  });
}

Deno.test("claimFreePages marks free pages and the list itself", async () => {
  assert.equal(await listLost(free([3, 4]), 2), 5);
  assert.equal(await listLost(free([5, 3, 4, 6]), 2), undefined);
  assert.equal(await listLost(free([]), 2), 3);
  // Without a list there is nothing to mark.
  assert.equal(await listLost(free([3])), undefined);
  // A count that needs more room.
  const list = { ...free([3, 4]), count: 0xffff };
  const body = number(8, 2) + list.body;
  assert.equal(await listLost({ ...list, body }, 2), 5);
});

const large = { ...free([3]), count: 0xffff, body: number(8, 2 ** 50) };

const freeLists: readonly (readonly [string, PageSpec, number?])[] = [
  ...[0, 1, 7, 2 ** 53].map((page) =>
    [`page 2: free page ${page} is none of 7`, free([page])] as const
  ),
  [
    "page 3: it is used more than once, the second time by page 2",
    free([3, 3]),
  ],
  ["page 2: it is used more than once, the second time by page 2", free([2])],
  ["page 2: 127 free pages do not fit into it", { ...free([3]), count: 127 }],
  ["page 2: 1125899906842624 free pages do not fit into it", large],
  ["page 4: type 2 is not a list of free pages", free([3]), 4],
];

Deno.test("claimFreePages names what is wrong with a list", async () => {
  for (const [why, list, at = 2] of freeLists) {
    await assert.rejects(listLost(list, at), {
      message: `Snapshot "db" is damaged: ${why}`,
    });
  }
});

const some = new Uint8Array(2 ** 19 + 512).map((_, at) => at * 7 & 255);

Deno.test("verifySnapshot finds every changed byte by the trailer before it looks at pages", async () => {
  const whole = await seal(some);
  assert.equal((await fault(whole))[1], fromNode);
  const { length } = some;
  for (const at of [0, 2 ** 18, length - 1, length, whole.length - 1]) {
    const other = whole.with(at, (whole[at] ?? 0) ^ 1);
    assert.equal((await fault(other))[1], changed, `byte ${at}`);
  }
});

Deno.test("verifySnapshot finds a trailer only where there is room for it", async () => {
  for (const size of [0, 31, 33, 512, 4096, 4096 + 31]) {
    assert.equal((await fault(new Uint8Array(size)))[1], again, `${size}`);
  }
});

Deno.test("verifySnapshot bounds what it keeps of small buckets", async () => {
  const large = leaf([["a", "x".repeat(2 ** 20)]]);
  const root = leaf([bucket("key", 3), bucket("meta", 4)]);
  assert.deepEqual(await fault(database([root, leaf([]), large])), [
    'Snapshot FILE is damaged: page 4: element 0: bucket "meta" is too large',
    again,
  ]);
});
