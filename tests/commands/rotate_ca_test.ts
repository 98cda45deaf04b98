import { machineConfig } from "../../simulator/state/machine_config.ts";
import assert from "node:assert/strict";
import { withWire } from "../_wire.ts";
import { run } from "../_run.ts";

Deno.test("rotate-ca shows what would be done to each node, and changes nothing", async () => {
  await withWire({ workers: 1 }, async ({ osctl }) => {
    const before = await osctl("ca report");
    const { out, err, status } = await osctl("rotate-ca");
    assert.equal(status, 0, err);
    const lines = out.trimEnd().split("\n")
      .map((line) => line.replaceAll(/[0-9a-f]{12}/g, "X").split(/ {2,}/));
    const steps = "accept new > issue new, accept old > drop old";
    assert.deepEqual(lines, [
      ["CA", "NODE", "ROLE", "ISSUING", "ACCEPTED", "STEPS"],
      ["os", "10.5.0.2", "controlplane", "X", steps],
      ["kubernetes", "10.5.0.2", "controlplane", "X", steps],
      ["os", "10.5.0.3", "worker", "X", steps],
      ["kubernetes", "10.5.0.3", "worker", "X", steps],
    ]);
    assert.equal(
      err,
      "Nothing was changed. To rotate, pass: --dry-run=false\n",
    );
    assert.deepEqual(await osctl("ca report"), before);
  });
});

Deno.test("rotate-ca takes nodes that are named, an init node among them", async () => {
  await withWire({ controlplanes: 2, workers: 1 }, async ({ osctl }) => {
    const { out, status } = await osctl(
      "rotate-ca --kubernetes=false --init-node 10.5.0.3 --control-plane-nodes 10.5.0.2 --worker-nodes 10.5.0.4",
    );
    assert.equal(status, 0);
    assert.deepEqual(
      [...out.matchAll(/10\.5\.0\.\d/g)].map(([node]) => node),
      ["10.5.0.2", "10.5.0.3", "10.5.0.4"],
    );
    const none = await osctl("rotate-ca --worker-nodes 10.5.0.4");
    assert.equal(none.status, 2);
    assert.match(none.err, /no control plane/);
  });
});

Deno.test("rotate-ca refuses what makes no sense", async () => {
  const nothing = await run("rotate-ca --os=false --kubernetes=false");
  assert.equal(nothing.status, 2);
  assert.match(nothing.err, /Nothing to rotate/);
  const name = await run("rotate-ca --worker-nodes worker-1", { "": {} });
  assert.equal(name.status, 2);
  assert.match(name.err, /"worker-1" is not an IP address/);
});

Deno.test("rotate-ca --dry-run=false exchanges no CA on a part of the cluster", async () => {
  await withWire({ workers: 1 }, async ({ osctl }) => {
    const { status, err } = await osctl(
      "rotate-ca --dry-run=false --control-plane-nodes 10.5.0.2",
    );
    assert.equal(status, 5);
    assert.match(err, /10\.5\.0\.3 would be skipped/);
  });
});

Deno.test("rotate-ca --dry-run=false is a run of the runbook, and ends with a new client", async () => {
  // Nodes are dialled themselves, too: each has an address of this machine.
  const addresses = ["127.77.14.2", "127.77.14.3"];
  await withWire({
    workers: 1,
    addresses(index) {
      const address = addresses[index] ?? "";
      return { host: address, port: 50_000, address };
    },
  }, async ({ cluster, osctl, osconfig }) => {
    const folder = osconfig.slice(0, osconfig.lastIndexOf("/"));
    const comment = "# kept by an operator";
    const patched = await osctl([
      ...["patch", "--nodes", "@all", "--mode", "no-reboot", "--patch"],
      `machine:\n  ${comment}\n  sysctls:\n    vm.max_map_count: "262144"\n`,
    ]);
    assert.equal(patched.status, 0, patched.err);
    const line =
      `rotate-ca --dry-run=false --kubernetes=false --yes -o ${folder}/new --with-docs --with-examples=false`;
    const stopped = await osctl(line);
    assert.equal(stopped.status, 76, stopped.err);
    assert.match(stopped.out, /"drop" needs approval/);
    const original = await Deno.readTextFile(osconfig);
    const before = await osctl(`--osconfig ${folder}/new version --nodes @all`);
    assert.equal(before.status, 0, before.err);
    const ended = await osctl(
      "runbook resume last --yes --yes-destructive drop:simulated",
    );
    assert.equal(ended.status, 0, ended.err);
    const after = await osctl(
      `--osconfig ${folder}/new ca report --nodes @all -o jsonl`,
    );
    const rows = after.out.trimEnd().split("\n").map((one) => JSON.parse(one));
    const os = rows.filter(({ kind }) => kind === "os");
    assert.equal(os.length, 2, after.err);
    assert.equal(new Set(os.map(({ issuing }) => issuing)).size, 1);
    assert.deepEqual(os.map(({ accepted }) => accepted), [[], []]);
    // The context that the run was started with is the new one, and the old one is beside it, as reported.
    assert.equal((await osctl("version --nodes @all")).status, 0);
    const [, backup = ""] = /\n {2}oldContext: (.*\.bak)\n/.exec(ended.out) ??
      [];
    assert.match(ended.out, new RegExp(`\\n {2}context: ${osconfig}\\n`));
    assert.equal(await Deno.readTextFile(backup), original);
    const refused = await osctl(`--osconfig ${backup} version`);
    assert.notEqual(refused.status, 0);
    // The file for others has the same client: it adds no second context.
    const merged = await osctl(`config merge ${folder}/new`);
    assert.equal(merged.status, 0, merged.err);
    const contexts = await osctl("config contexts -o name");
    assert.equal(contexts.out, "simulated\n");
    // An operator's own lines stay, and additions are there once.
    const comments = cluster.nodes.map((node): string[] =>
      machineConfig(node).match(/# .*/g) ?? []
    );
    for (const all of comments) {
      assert.ok(all.includes(comment));
      assert.ok(!all.includes("# Kernel parameters (sysctls) to set"));
      const added = "# Settings of this node";
      assert.equal(all.filter((one) => one === added).length, 1);
    }
    const secrets = await Deno.readTextFile(`${folder}/new.secrets.yaml`);
    assert.match(secrets, /certs:/);
  });
});
