import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { RpcError } from "../../../errors.ts";
import { text } from "../../../simulator/state/file_entry.ts";
import { largeFile } from "../files/_large_file.ts";
import type { Data } from "../../../transport/gen/common.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { diskUsage } from "../../../simulator/services/files.ts";
import { DiskUsageRequest } from "../../../transport/gen/machine.ts";
import { bootedNode } from "../_node.ts";

function openAdmin({ endpoints, adminIdentity: identity }: RunningCluster) {
  return testClient({ endpoint: endpoints[0]!, identity });
}

async function readBytes(stream: AsyncIterable<Data>) {
  const parts: Uint8Array[] = [];
  let error = "";
  for await (const { bytes, metadata } of stream) {
    parts.push(bytes);
    error = metadata?.error ?? error;
  }
  return { parts, bytes: Buffer.concat(parts), error };
}

async function unpack(bytes: Uint8Array) {
  const entries: string[] = [];
  const tar = extract();
  Readable.from([bytes]).pipe(createGunzip()).pipe(tar);
  for await (const entry of tar) {
    const { name, type, mode, linkname } = entry.header;
    const parts: Uint8Array[] = [];
    for await (const part of entry) parts.push(part as Uint8Array);
    const content = linkname ? `-> ${linkname}` : Buffer.concat(parts).length;
    entries.push(`${name} ${type} ${mode!.toString(8)} ${content}`);
  }
  return entries;
}

Deno.test("List recurses to a depth and keeps to the types asked for", async () => {
  await withCluster({}, async (cluster) => {
    using client = openAdmin(cluster);
    const names = async (
      request: { recursionDepth: number; types?: readonly (0 | 1 | 2)[] },
    ) => {
      const seen: string[] = [];
      const all = { root: "/etc/", recurse: true, ...request };
      for await (const { relativeName } of client.machine.list(all)) {
        seen.push(relativeName);
      }
      return seen;
    };
    assert.deepEqual(await names({ recursionDepth: 0, types: [2] }), [
      "ca-certificates",
    ]);
    assert.deepEqual(await names({ recursionDepth: 2, types: [1] }), [
      ".",
      "kubernetes",
      "kubernetes/manifests",
      "ssl",
      "ssl/certs",
    ]);
    assert.deepEqual(await names({ recursionDepth: 1, types: [1] }), [
      ".",
      "kubernetes",
      "ssl",
    ]);
  });
});

Deno.test("Read refuses what is missing, no regular file, or not to be opened", async () => {
  await withCluster({}, async (cluster) => {
    using client = openAdmin(cluster);
    const read = (path: string) => readBytes(client.machine.read({ path }));
    await assert.rejects(
      read("/nope"),
      new RpcError("NOT_FOUND", "stat /nope: no such file or directory"),
    );
    await assert.rejects(
      read("/etc"),
      new RpcError("UNKNOWN", "path must be a regular file"),
    );
    const path = "/proc/sys/net/ipv4/route/flush";
    await assert.rejects(
      read(path),
      new RpcError("UNKNOWN", `open ${path}: permission denied`),
    );
  });
});

Deno.test("Copy packs what is below a directory, kernel files with their contents", async () => {
  await withCluster({}, async (cluster) => {
    using client = openAdmin(cluster);
    const { bytes, error } = await readBytes(
      client.machine.copy({ rootPath: "/proc/sys/net" }),
    );
    assert.deepEqual(await unpack(bytes), [
      "ipv4/ directory 755 0",
      "ipv4/ip_forward file 444 2",
      "ipv4/route/ directory 755 0",
      "ipv6/ directory 755 0",
      "ipv6/conf/ directory 755 0",
      "ipv6/conf/default/ directory 755 0",
      "ipv6/conf/default/forwarding file 444 2",
    ]);
    const path = "/proc/sys/net/ipv4/route/flush";
    assert.equal(
      error,
      `1 error occurred:\n\t* skipping "${path}": open ${path}: permission denied\n\n`,
    );
  });
});

Deno.test("Copy packs links as links and one file under its own name", async () => {
  await withCluster({}, async (cluster) => {
    using client = openAdmin(cluster);
    cluster.nodes[0]!.files.set(
      "/opt/one",
      text("four", { permissions: 0o600 }),
    );
    const one = await readBytes(client.machine.copy({ rootPath: "/opt/one" }));
    assert.deepEqual(await unpack(one.bytes), ["one file 600 4"]);
    const all = await readBytes(
      client.machine.copy({ rootPath: "/sys/class" }),
    );
    assert.deepEqual(await unpack(all.bytes), [
      "net/ directory 755 0",
      "net/eth0 symlink 777 -> ../../devices/virtio0/net/eth0",
      "net/lo symlink 777 -> ../../devices/virtual/net/lo",
    ]);
    const none = await readBytes(client.machine.copy({ rootPath: "/nope" }));
    assert.deepEqual([none.bytes.length, none.error], [
      0,
      "lstat /nope: no such file or directory",
    ]);
  });
});

Deno.test("DiskUsage keeps to thresholds in both directions, and says what is missing", async () => {
  const node = await bootedNode();
  node.files.set("/opt/large", largeFile(1000));
  node.files.set("/opt/small", largeFile(10));
  const usage = async (request: object) => {
    const call = {
      node,
      roles: new Set<string>(),
      signal: new AbortController().signal,
    };
    const seen = [];
    for await (
      const { relativeName, size, error } of diskUsage(
        DiskUsageRequest.fromPartial(request),
        call,
      )
    ) {
      seen.push(`${relativeName} ${error ?? size}`);
    }
    return seen;
  };
  assert.deepEqual(
    await usage({ paths: ["opt/"], all: true, threshold: 100n }),
    ["large 1000", ". 5106"],
  );
  assert.deepEqual(
    await usage({ paths: ["/opt"], all: true, threshold: -100n }),
    ["small 10"],
  );
  assert.deepEqual(await usage({ paths: ["/none"] }), [
    "/none lstat /none: no such file or directory",
  ]);
  assert.deepEqual(await usage({ paths: [] }), []);
});
