import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { type Wire, withWire } from "../_wire.ts";
import type { Ran } from "../_run.ts";
import { minor } from "../_version.ts";

/** A wire, and a folder for files. */
interface Place extends Wire {
  readonly apply: (text: string, flags: string) => Promise<Ran>;
  /** The configuration a node runs with. */
  readonly live: (node: string) => Promise<string>;
}

async function withPlace(
  options: Parameters<typeof withWire>[0],
  test: (place: Place) => Promise<void>,
): Promise<void> {
  await withFolder({}, (folder) =>
    withWire(options, async (wire) => {
      await test({
        ...wire,
        async apply(text, flags) {
          await Deno.writeTextFile(`${folder}/c.yaml`, text);
          return await wire.osctl(`apply-config -f ${folder}/c.yaml ${flags}`);
        },
        async live(node) {
          const ran = await wire.osctl(`get mc v1alpha1 -n ${node} -o json`);
          return JSON.parse(ran.out).spec;
        },
      });
    }));
}

function withSysctl(text: string, value = "1"): string {
  return text.replace(
    "machine:\n",
    `machine:\n    sysctls:\n        vm.nr_hugepages: "${value}"\n`,
  );
}

Deno.test("apply-config --dry-run and what is held back send nothing to nodes", async () => {
  await withPlace({ workers: 2 }, async ({ apply, live, names }) => {
    const [controlPlane = "", worker = "", other = ""] = names;
    const text = await live(worker);
    const dry = await apply(withSysctl(text), `-n ${worker} --dry-run`);
    assert.equal(dry.status, 0, dry.err);
    assert.match(dry.out, /^10\.5\.0\.3: v1alpha1 changed\n/);
    // Since v1.14 the certificate of the CA is next to what has changed.
    const secret = minor < 14
      ? /PRIVATE|LS0tLS1CRUdJTi/
      : /PRIVATE|LS0tLS1CRUdJTi(?!BDRVJU)/;
    assert.doesNotMatch(dry.out, secret);
    assert.match(
      dry.out,
      /\n10\.5\.0\.3: would take effect without a reboot\n$/,
    );
    const role = await apply(text, `-n ${controlPlane}`);
    assert.deepEqual([role.err.split("\n")[0], role.status], [
      "error: Nothing was sent: 10.5.0.2 is a control plane, and the configuration is for a worker",
      5,
    ]);
    const same = await apply(withSysctl(text), `-n ${worker},${other}`);
    assert.match(
      same.err,
      /10\.5\.0\.3 and 10\.5\.0\.4 would have the same host name/,
    );
    assert.equal(same.status, 5);
    assert.equal(await live(worker), text);
  });
});

Deno.test("apply-config gives a running node another configuration, and nothing twice", async () => {
  await withPlace({ workers: 1 }, async ({ apply, live, names }) => {
    const [, worker = ""] = names;
    const text = withSysctl(await live(worker));
    const first = await apply(text, `-n ${worker} -o json`);
    assert.equal(first.status, 0, first.err);
    const { outcome, mode } = JSON.parse(first.out);
    assert.deepEqual([outcome, mode], ["done", "no-reboot"]);
    assert.equal(await live(worker), text);
    const second = await apply(text, `-n ${worker} -o json`);
    assert.equal(JSON.parse(second.out).outcome, "unchanged");
  });
});

Deno.test("apply-config that needs a reboot waits for it", async () => {
  await withPlace({ workers: 1 }, async ({ apply, live, names, cluster }) => {
    const [, worker = ""] = names;
    const text = (await live(worker)).replace(
      "machine:\n",
      "machine:\n    env:\n        A: b\n",
    );
    const boot = cluster.nodes[1]?.boot.id;
    const ran = await apply(text, `-n ${worker} -o json`);
    assert.equal(ran.status, 0, ran.err);
    // Since v1.14 nothing needs one.
    const reboots = minor < 14;
    const mode = reboots ? "reboot" : "no-reboot";
    assert.deepEqual(JSON.parse(ran.out).mode, mode);
    assert.equal(cluster.nodes[1]?.boot.id !== boot, reboots);
    assert.equal(await live(worker), text);
  });
});

Deno.test("apply-config --mode try confirms, and the configuration stays", async () => {
  await withPlace({ workers: 1 }, async ({ apply, live, names, osctl }) => {
    const [, worker = ""] = names;
    const text = withSysctl(await live(worker));
    const ran = await apply(
      text,
      `-n ${worker} --mode try --timeout 4s --check kubelet,ready`,
    );
    assert.equal(ran.status, 0, ran.err);
    assert.match(ran.err, /confirmed \(active, kubelet, ready\)/);
    const kept = await osctl(`get mc persistent -n ${worker} -o json`);
    assert.equal(JSON.parse(kept.out).spec, text);
  });
});

Deno.test("apply-config --mode try lets a node go back whose check fails, and says so", async () => {
  await withPlace({}, async ({ apply, live, names, cluster }) => {
    const [node = ""] = names;
    await cluster.setFault(node, "etcd-stopped");
    const text = await live(node);
    const ran = await apply(
      withSysctl(text),
      `-n ${node} --mode try --timeout 2s --check etcd`,
    );
    assert.equal(ran.status, 1, ran.err);
    assert.match(
      ran.err,
      /error: \S+ \(10\.5\.0\.2\): rolled-back: .*; the node has reverted\n/,
    );
    assert.equal(await live(node), text);
  });
});

Deno.test("apply-config whose reply is lost is resolved by comparing configurations", async () => {
  await withPlace({ workers: 1 }, async ({ apply, live, names, cluster }) => {
    const [, worker = ""] = names;
    await cluster.setFault(worker, "reply-lost", {
      method: "ApplyConfiguration",
      calls: 1,
    });
    const text = withSysctl(await live(worker));
    const ran = await apply(text, `-n ${worker}`);
    assert.equal(ran.status, 0, ran.err);
    assert.match(ran.err, /the reply was lost/);
    assert.equal(await live(worker), text);
  });
});

Deno.test("apply-config to three nodes of which two are gone configures one and ends with 3", async () => {
  await withPlace({ workers: 2 }, async ({ apply, live, names, cluster }) => {
    const [first = "", ...gone] = names;
    const text = withSysctl(await live(first));
    for (const node of gone) await cluster.setFault(node, "unavailable");
    const ran = await apply(text, `-n ${names.join(",")} -o jsonl`);
    const rows = ran.out.trimEnd().split("\n").map((row) => JSON.parse(row));
    assert.deepEqual(
      rows.map(({ node, outcome, error }) => [node, outcome ?? typeof error]),
      [[first, "done"], [gone[0], "object"], [gone[1], "object"]],
    );
    assert.equal(ran.status, 3);
    assert.equal(await live(first), text);
  });
});

/** A configuration with a static address; up to v1.11 in the main document. */
function withAddress(config: string): string {
  const network = /^ {4}network:.*$/m;
  return minor < 12
    ? config.replace(
      network,
      `$&
        interfaces:
            - interface: eth0
              addresses:
                - 10.5.0.77/24`,
    )
    : `${config}---
apiVersion: v1alpha1
kind: LinkConfig
name: eth0
addresses:
    - address: 10.5.0.77/24
`;
}

Deno.test("apply-config --mode try confirms a node at its new address", async () => {
  await withPlace({ workers: 1 }, async ({ apply, live, names, osctl }) => {
    const [, worker = ""] = names;
    const text = withAddress(await live(worker));
    const ran = await apply(text, `-n ${worker} --mode try --timeout 8s`);
    assert.equal(ran.status, 0, ran.err);
    assert.match(ran.err, /10\.5\.0\.3: confirmed/);
    const kept = await osctl("get mc persistent -n 10.5.0.77 -o json");
    assert.equal(JSON.parse(kept.out).spec, text);
  });
});

Deno.test("patch changes all nodes of a cluster, each its own configuration", async () => {
  await withPlace({ workers: 2 }, async ({ live, names, osctl }) => {
    const patch = '{"machine":{"sysctls":{"a":"b"}}}';
    const line = ["patch", "mc", "-p", patch, "--nodes", "@all"];
    const ran = await osctl(line);
    assert.equal(ran.status, 0, ran.err);
    for (const node of names) {
      assert.match(await live(node), /sysctls:\n {8}a: b\n/);
    }
    const again = await osctl([...line, "-o", "jsonl"]);
    const rows = again.out.trimEnd().split("\n").map((row) => JSON.parse(row));
    assert.deepEqual(rows.map(({ outcome }) => outcome), [
      "unchanged",
      "unchanged",
      "unchanged",
    ]);
  });
});

Deno.test("edit changes a node, and other resources are the node's to refuse", async () => {
  await withFolder({
    "config.sh":
      `sed -i 's/^machine:/machine:\\n    sysctls:\\n        a: "1"/' "$1"\n`,
    "name.sh": `sed -i 's/hostname: .*/hostname: other/' "$1"\n`,
  }, async (folder) => {
    await withPlace({ workers: 1 }, async ({ live, names, osctl }) => {
      const [, worker = ""] = names;
      const ran = await osctl(`edit mc -n ${worker}`, {
        env: { EDITOR: `sh ${folder}/config.sh` },
      });
      assert.equal(ran.status, 0, ran.err);
      assert.match(await live(worker), /sysctls:\n {8}a: "1"\n/);
      const refused = await osctl(`edit hostname hostname -n ${worker}`, {
        env: { EDITOR: `sh ${folder}/name.sh` },
      });
      assert.match(
        refused.err,
        /error: simulated-worker-1 \(10\.5\.0\.3\): write access is not allowed\n$/,
      );
      assert.equal(refused.status, 1);
      const [, path = ""] = /saved to "(.*)"/.exec(refused.err) ?? [];
      assert.match(await Deno.readTextFile(path), /^hostname: other$/m);
      await Deno.remove(path);
    });
  });
});

Deno.test("edit refuses to undo what another client has changed meanwhile, and keeps the edit", () =>
  withFolder({}, async (folder) => {
    await Deno.writeTextFile(
      `${folder}/edit.sh`,
      `sed -i 's/^machine:/machine:\\n    sysctls: {vm.mine: "1"}/' "$1"
echo > ${folder}/ready && cat ${folder}/go
`,
    );
    const pipes = [`${folder}/ready`, `${folder}/go`];
    await new Deno.Command("mkfifo", { args: pipes }).output();
    await withPlace({ workers: 1 }, async ({ osctl, live, names }) => {
      const [, worker = ""] = names;
      const edited = osctl(`edit mc -n ${worker} --yes`, {
        env: { EDITOR: `sh ${folder}/edit.sh` },
      });
      await Deno.readTextFile(`${folder}/ready`);
      const patch = '{"machine":{"sysctls":{"vm.other":"1"}}}';
      const other = await osctl(["patch", "-n", worker, "-p", patch]);
      assert.equal(other.status, 0, other.err);
      await Deno.writeTextFile(`${folder}/go`, "");
      const { err, status } = await edited;
      assert.equal(status, 5);
      assert.match(
        err,
        /its configuration has changed since it was read; nothing was sent/,
      );
      const [, saved = ""] = /^Your edit was saved to "(.+)"$/m.exec(err) ?? [];
      assert.match(await Deno.readTextFile(saved), /vm\.mine/);
      await Deno.remove(saved);
      assert.match(await live(worker), /vm\.other/);
      assert.doesNotMatch(await live(worker), /vm\.mine/);
    });
  }));
