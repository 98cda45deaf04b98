import assert from "node:assert/strict";
import { tree, withFolder } from "../commands/_copy/_tree.ts";
import { withWire } from "../_wire.ts";

Deno.test("list shows files of simulated nodes, their kinds and links", async () => {
  await withWire({}, async ({ osctl, names: [node] }) => {
    const { out, err, status } = await osctl("list /etc -o jsonl -l");
    const rows = out.trimEnd().split("\n").map((row) => JSON.parse(row));
    const shown = rows.map(({ name, kind, mode, link }) =>
      [name, kind, mode, link].join(" ").trim()
    );
    assert.deepEqual(shown.slice(0, 3), [
      ". directory drwxr-xr-x",
      "ca-certificates symlink Lrwxrwxrwx /etc/ssl/certs/ca-certificates",
      "hostname file -rw-r--r--",
    ]);
    assert.equal(rows[0].node, node);
    assert.equal(rows[0].label, "system_u:object_r:etc_t:s0");
    assert.deepEqual({ err, status }, { err: "", status: 0 });
  });
});

Deno.test("list --type d --depth 2 shows directories only", async () => {
  await withWire({}, async ({ osctl }) => {
    const { out } = await osctl("list /etc -t d -d 2");
    const names = out.trimEnd().split("\n").slice(1)
      .map((line) => line.split(/ +/)[1]);
    assert.deepEqual(names, [
      ".",
      "kubernetes",
      "kubernetes/manifests",
      "ssl",
      "ssl/certs",
    ]);
  });
});

Deno.test("read gives the content of a file of a simulated node", async () => {
  await withWire({}, async ({ osctl, cluster }) => {
    const hostname = cluster.nodes[0]?.identity.hostname;
    assert.deepEqual(await osctl("read /etc/hostname"), {
      out: `${hostname}\n`,
      bytes: new TextEncoder().encode(`${hostname}\n`),
      err: "",
      status: 0,
    });
  });
});

Deno.test("read tells what a simulated node refuses", async () => {
  await withWire({}, async ({ osctl, names: [node] }) => {
    const device = await osctl("read /dev/null");
    assert.equal(
      device.err,
      `error: Cannot read "/dev/null" of ${node}: path must be a regular file
hint: List files with "osctl list /dev"
`,
    );
    const missing = await osctl("read /etc/nope");
    assert.equal(
      missing.err,
      `error: Cannot read "/etc/nope" of ${node}: stat /etc/nope: no such file or directory
hint: List files with "osctl list /etc"
`,
    );
    assert.deepEqual([device.status, missing.status], [1, 1]);
  });
});

Deno.test("copy extracts files, modes and links of a simulated node", async () => {
  await withWire({}, async ({ osctl, cluster }) => {
    await withFolder(async (root) => {
      const { err, status } = await osctl(["copy", "/etc", `${root}/etc`]);
      assert.deepEqual({ err, status }, { err: "", status: 0 });
      const files = await tree(`${root}/etc`);
      assert.equal(
        files.hostname,
        `0644 ${cluster.nodes[0]?.identity.hostname}\n`,
      );
      assert.equal(files["kubernetes/manifests"], "0700 folder");
      assert.equal(
        files["ca-certificates"],
        "-> /etc/ssl/certs/ca-certificates",
      );
    });
  });
});

Deno.test("copy of everything names devices and what the node could not read", async () => {
  await withWire({}, async ({ osctl, names: [node] }) => {
    await withFolder(async (root) => {
      const { err, status } = await osctl(["copy", "/", root]);
      assert.equal(status, 1);
      const lines = err.split("\n");
      assert.equal(
        lines[0],
        `error: Cannot copy "/" from ${node}: 4 of the entries were skipped`,
      );
      assert.equal(lines[1], '  "dev/kmsg" is a device');
      assert.match(
        err,
        new RegExp(`^${node} says: \\d+ errors occurred:$`, "m"),
      );
      assert.match(err, /skipping "\/proc\/sys\/net\/ipv4\/route\/flush": /);
      assert.match(err, /skipping "\/sys\/fs\/cgroup\/init\/cgroup\.kill": /);
      const files = await tree(root, 1);
      assert.equal(files.var, "0755 folder");
      assert.equal(files.lib, "-> usr/lib");
    });
  });
});

Deno.test("copy that a node cuts off in good order fails and leaves no half file", async () => {
  await withWire({}, async ({ osctl, cluster, names: [node = ""] }) => {
    await cluster.setFault(node, "truncated-copy", { afterMessages: 2 });
    await withFolder(async (root) => {
      const { err, status } = await osctl(["copy", "/etc", root]);
      assert.equal(
        err,
        `error: Cannot copy "/etc" from ${node}: The archive is truncated or damaged\n`,
      );
      assert.equal(status, 1);
      for (const name of Object.keys(await tree(root))) {
        assert.ok(!name.includes(".partial"), name);
      }
    });
  });
});
