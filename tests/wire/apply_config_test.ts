import assert from "node:assert/strict";
import { clusterDocuments } from "../../simulator/state/machine_config.ts";
import type { RunningCluster } from "../../simulator/cluster/cluster.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { withFolder } from "../_folder.ts";
import { counting } from "../_node_counts.ts";
import { withWire } from "../_wire.ts";
import { minor, tag } from "../_version.ts";
import { kubernetesFor } from "../../simulator/release/release.ts";

function machineConfig(
  { nodes }: RunningCluster,
  role: "controlplane" | "worker",
): string {
  const { secrets, name } = nodes[0]!.cluster;
  return encodeDocuments(
    clusterDocuments({
      name,
      address: "10.5.0.2",
      secrets,
      kubernetes: kubernetesFor(tag),
      tag,
    }, role),
  );
}

/** A kind that nodes do not know, and from v1.14 on osctl neither. */
const foreign = minor < 14 ? "KernelModuleConfig" : "NewerConfig";

/** Messages of a node that got its first configuration; none up to v1.12. */
function applyAll(node = ""): RegExp {
  const line =
    `\\d\\d:\\d\\d:\\d\\d ${node}: Applied configuration without a reboot`;
  return new RegExp(minor < 13 ? "^$" : `^${line}\n$`);
}

/** Address of a node as the maintenance service is reached. */
function listPorts({ listening }: RunningCluster): readonly string[] {
  return [...listening.values()];
}

Deno.test("apply-config --insecure configures a node, which boots and lets its clients in", async () => {
  await withFolder({}, async (folder) => {
    await withWire(
      { workers: 1, unconfigured: () => true },
      async ({ cluster, osctl }) => {
        const [controlPlane, worker] = listPorts(cluster);
        for (const role of ["controlplane", "worker"] as const) {
          await Deno.writeTextFile(
            `${folder}/${role}.yaml`,
            machineConfig(cluster, role),
          );
        }
        // The worker first: it waits for the control plane that has the CA.
        const second = await osctl(
          `apply-config -i --trust-any -f ${folder}/worker.yaml -n ${worker}`,
        );
        assert.deepEqual([second.out, second.status], ["", 0], second.err);
        assert.match(second.err, applyAll(worker));
        const first = await osctl([
          ...`apply-config -i --trust-any -f ${folder}/controlplane.yaml -n ${controlPlane}`
            .split(" "),
          "-p",
          '{"machine": {"sysctls": {"vm.nr_hugepages": "1"}}}',
        ]);
        assert.deepEqual([first.out, first.status], ["", 0], first.err);
        assert.match(first.err, applyAll(controlPlane));
        await cluster.settled();
        const startedAt = await osctl("bootstrap -n 10.5.0.2");
        assert.equal(startedAt.status, 0, startedAt.err);
        await cluster.settled();
        const { out, status } = await osctl("get machinestatus -o jsonl");
        const rows = out.trimEnd().split("\n").map((row) => JSON.parse(row));
        assert.equal(status, 0);
        assert.deepEqual(rows.map(({ node, spec }) => [node, spec.stage]), [
          ["10.5.0.2", "running"],
          ["10.5.0.3", "running"],
        ]);
        const diff = await osctl(
          `machineconfig diff ${folder}/controlplane.yaml --live --as-patch -n 10.5.0.2`,
        );
        assert.equal(
          diff.out,
          `# 10.5.0.2
machine:
    sysctls:
        $patch: delete
`,
        );
      },
    );
  });
});

Deno.test("a node without a configuration refuses what a real one refuses, and stays as it is", async () => {
  await withFolder({}, async (folder) => {
    await withWire(
      { unconfigured: () => true },
      async ({ cluster, osctl }) => {
        const [port] = listPorts(cluster);
        const good = machineConfig(cluster, "controlplane");
        const apply = async (text: string, flags = "") => {
          await Deno.writeTextFile(`${folder}/c.yaml`, text);
          const ran = await osctl(
            `apply-config -i --trust-any -f ${folder}/c.yaml -n ${port} --validate off --allow unknown-kind ${flags}`,
          );
          // Configurations of other versions are of other lengths.
          const err = ran.err.replaceAll(/\bline \d+/g, "line N");
          return { err, status: ran.status };
        };
        const boss = await apply(
          good.replace("type: controlplane", "type: boss"),
        );
        if (minor < 14) {
          assert.deepEqual(boss, {
            err: `error: ${port}: failed: ${
              minor < 13 ? "configuration validation failed: " : ""
            }3 errors occurred:
  \t* line N: v1alpha1: machine.type: Machine type "boss" does not exist
  \t* line N: v1alpha1: cluster.ca.key: The key of the Kubernetes CA is on a machine that is not a control plane
  \t* line N: v1alpha1: cluster.etcd: etcd is configured on a worker
`,
            status: 1,
          });
        } else {
          // Each document of a control plane is an error of its own.
          assert.equal(boss.status, 1);
          assert.match(boss.err, /failed: 16 errors occurred:\n/);
          assert.match(boss.err, /Machine type "boss" does not exist\n/);
        }
        assert.deepEqual(
          await apply(`${good}---
apiVersion: v1alpha1
kind: ${foreign}
name: x
`),
          {
            err: `error: ${port}: failed: ${
              minor < 13 ? "failed to parse config: " : ""
            }error decoding document v1alpha1/${foreign}/ (line N): "${foreign}" "v1alpha1": not registered
`,
            status: 1,
          },
        );
        assert.equal(cluster.nodes[0]!.disk.configured, false);
        // Later nodes keep it for the next boot.
        if (minor >= 13) return;
        assert.deepEqual(await apply(good, "--mode staged"), {
          err:
            `error: ${port}: failed: apply configuration --mode='staged' is not supported in maintenance mode
`,
          status: 1,
        });
      },
    );
  });
});

Deno.test("apply-config --insecure to three nodes of which two are gone configures one and ends with 3", async () => {
  await withFolder({}, async (folder) => {
    await withWire(
      { workers: 2, unconfigured: () => true },
      async ({ cluster, osctl }) => {
        const nodes = listPorts(cluster);
        for (const node of cluster.nodes.slice(1)) {
          await cluster.setFault(node.identity.address, "unavailable");
        }
        const file = `${folder}/controlplane.yaml`;
        await Deno.writeTextFile(file, machineConfig(cluster, "controlplane"));
        const { out, status } = await osctl(
          `apply-config -i --trust-any -f ${file} -n ${
            nodes.join(",")
          } -o jsonl`,
        );
        const rows = out.trimEnd().split("\n").map((row) => JSON.parse(row));
        assert.deepEqual(
          rows.map(({ node, error }) => [node, error?.code]).sort(),
          [
            [nodes[0], undefined],
            [nodes[1], "refused"],
            [nodes[2], "refused"],
          ].sort(),
        );
        assert.equal(status, 3);
        await cluster.settled();
        assert.deepEqual(
          cluster.nodes.map(({ disk: { configured } }) => configured),
          [true, false, false],
        );
      },
    );
  });
});

Deno.test("apply-config: sends nothing that a node without a configuration would refuse", async () => {
  await withFolder({}, async (folder) => {
    await withWire(
      { unconfigured: () => true, workers: 1 },
      async ({ cluster, osctl }) => {
        const ports = listPorts(cluster);
        const good = machineConfig(cluster, "worker");
        const apply = async (text: string, nodes = ports[0]) => {
          await Deno.writeTextFile(`${folder}/c.yaml`, text);
          return await osctl(
            `apply-config -i -f ${folder}/c.yaml -n ${nodes} --mode auto`,
          );
        };
        const wrong = await apply(good.replace("type: worker", "type: boss"));
        assert.match(wrong.err, /machine\.type: Machine type "boss"/);
        assert.equal(wrong.status, 2);
        // Up to v1.9 a node without a configuration does not tell its version; what came with v1.14 stays known.
        if (minor >= 10 && minor < 14) {
          const newer = await apply(
            `${good}---\napiVersion: v1alpha1\nkind: ${foreign}\nname: x\n`,
          );
          const text = `Version 1\\.${minor} does not support ${foreign}`;
          assert.match(newer.err, new RegExp(text));
          assert.equal(newer.status, 5);
        }
        const named = await apply(
          minor < 12
            ? good.replace("network: {}", "network:\n        hostname: w1")
            : good.replace("auto: stable", 'auto: "off"\nhostname: w1'),
          ports.join(","),
        );
        assert.match(named.err, /would have the same host name "w1"/);
        assert.equal(named.status, 5);
        const [node] = cluster.nodes;
        assert.ok(node);
        const count = await counting(node, "ApplyConfiguration");
        const line = `apply-config -i -f ${folder}/c.yaml -n ${ports[0]}`;
        await Deno.writeTextFile(`${folder}/c.yaml`, good);
        const dry = await osctl(`${line} --dry-run`);
        assert.equal(dry.status, 0, dry.err);
        assert.match(dry.out, /^\S+: v1alpha1 added\n/);
        assert.match(dry.out, /: would be its first configuration\n$/);
        const [, token = ""] = /^ {4}token: (.*)$/m.exec(good) ?? [];
        assert.ok(token !== "" && !dry.out.includes(token));
        assert.equal(count().calls, 0);
        assert.deepEqual(
          cluster.nodes.map(({ disk: { configured } }) => configured),
          [false, false],
        );
      },
    );
  });
});

Deno.test("apply-config --insecure gives its secrets to no node but the one whose fingerprint was given", async () => {
  await withFolder({}, async (folder) => {
    await withWire({ unconfigured: () => true }, async ({ cluster, osctl }) => {
      const [node] = cluster.nodes;
      const [port] = listPorts(cluster);
      assert.ok(node);
      const count = await counting(node, "ApplyConfiguration");
      const file = `${folder}/controlplane.yaml`;
      await Deno.writeTextFile(file, machineConfig(cluster, "controlplane"));
      const apply = (pin: string) =>
        osctl(
          `apply-config -i -f ${file} -n ${port} --cert-fingerprint ${pin}`,
        );
      const wrong = "A".repeat(43) + "=";
      const refused = await apply(wrong);
      assert.equal(refused.status, 1, refused.err);
      assert.deepEqual([count().calls, node.disk.configured], [0, false]);
      // The fingerprint is shown, to be compared with the node's console.
      const [seen = ""] = /[A-Za-z0-9+/]{43}=/.exec(
        refused.err.replaceAll(wrong, ""),
      ) ?? [];
      const taken = await apply(seen);
      assert.equal(taken.status, 0, taken.err);
      assert.equal(count().calls, 1);
    });
  });
});
