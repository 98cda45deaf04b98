import assert from "node:assert/strict";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import { clusterDocuments } from "../../../simulator/state/machine_config.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { counting } from "../../_node_counts.ts";
import { withFolder } from "../../_folder.ts";
import { withWire } from "../../_wire.ts";

const wrong = "A".repeat(43) + "=";

/** A configuration for workers, with all the secrets they need. */
function machineConfig({ nodes }: RunningCluster): string {
  const { secrets, name } = nodes[0]!.cluster;
  const place = { name, address: "10.5.0.2", kubernetes: "1.34.1" };
  return encodeDocuments(
    clusterDocuments({ ...place, secrets, tag: "v1.12.0" }, "worker"),
  );
}

/** Address of the first node as it is reached, and all others. */
function listPorts({ listening }: RunningCluster): [string, ...string[]] {
  const [first = "", ...others] = listening.values();
  return [first, ...others];
}

function fingerprintsIn(text: string): readonly string[] {
  return [...text.matchAll(/[A-Za-z0-9+/]{43}=/g)].map(([one]) => one)
    .filter((one) => one !== wrong);
}

const neverConfigured = () => true;

Deno.test("apply-config --insecure sends no secrets to a server that it is not authenticated for", async () => {
  await withFolder({}, async (folder) => {
    await withWire(
      { unconfigured: neverConfigured, workers: 1 },
      async (wire) => {
        const { cluster, osctl } = wire;
        const [node] = cluster.nodes;
        assert.ok(node);
        const count = await counting(node, "ApplyConfiguration");
        const [port, other] = listPorts(cluster);
        const file = `${folder}/worker.yaml`;
        await Deno.writeTextFile(file, machineConfig(cluster));
        const line = `apply-config -i -f ${file} -n`;

        const alone = await osctl(`${line} ${port}`);
        const [seen = "", again] = fingerprintsIn(alone.err);
        assert.equal(
          alone.err,
          `error: Nothing was sent: the configuration holds secrets, but the server is not authenticated:
  ${port} has fingerprint ${seen}
hint: Compare it with the node's console, then: --cert-fingerprint ${seen}; to trust any server: --trust-any
`,
        );
        assert.deepEqual([alone.status, again], [5, seen]);

        const both = await osctl(`${line} ${port},${other}`);
        assert.equal(both.status, 5);
        assert.equal(new Set(fingerprintsIn(both.err)).size, 2);

        const compatible = await osctl(`${line} ${port}`, {
          env: { OSCTL_COMPAT: "peer" },
        });
        assert.equal(compatible.status, 5);

        const asked = await osctl(`${line} ${port}`, {
          typed: true,
          stdin: "no\n",
        });
        assert.equal(asked.status, 5);
        assert.match(
          asked.err,
          /\(y\/N\): error: The server was not confirmed$/m,
        );
        const silent = await osctl(`${line} ${port}`, { typed: true });
        assert.equal(silent.status, 5);
        assert.equal(count().calls, 0);

        const dry = await osctl(`${line} ${port} --dry-run`);
        assert.equal(dry.status, 0, dry.err);
        const any = await osctl(`${line} ${port} --trust-any`);
        assert.deepEqual([any.status, any.err], [0, ""]);
        assert.equal(count().calls, 1);
      },
    );
  });
});

Deno.test("a fingerprint that was confirmed is remembered for its address, and another one is refused", async () => {
  await withFolder({}, async (folder) => {
    await withWire(
      { unconfigured: neverConfigured, workers: 1 },
      async (wire) => {
        const { cluster, osctl, osconfig } = wire;
        const [port, other] = listPorts(cluster);
        const known = `${osconfig.replace(/[^/]*$/, "")}known-servers.json`;
        const file = `${folder}/worker.yaml`;
        await Deno.writeTextFile(file, machineConfig(cluster));
        const now = new Date("2026-01-02T03:04:05Z");
        const apply = (port: string | undefined, more = {}) =>
          osctl(`apply-config -i -f ${file} -n ${port}`, { now, ...more });

        const asked = await apply(port, { typed: true, stdin: "y\n" });
        assert.equal(asked.status, 0, asked.err);
        const [seen = ""] = fingerprintsIn(asked.err);
        assert.equal(
          asked.err.replace(/^NODE.*\n/, "NODE FINGERPRINT\n"),
          `NODE FINGERPRINT
${port}   ${seen}
The server is not authenticated: compare the fingerprint with the one on the node's console.
Send the configuration with its secrets? (y/N): `,
        );
        const servers = [{
          server: port,
          fingerprint: seen,
          at: "2026-01-02T03:04:05.000Z",
        }];
        assert.deepEqual(JSON.parse(await Deno.readTextFile(known)), {
          v: 1,
          servers,
        });
        assert.equal((await Deno.stat(known)).mode! & 0o777, 0o600);

        // The other node has the key that was remembered for it, and then another one.
        const [theirs = ""] = fingerprintsIn((await apply(other)).err);
        const remembered = (fingerprint: string) =>
          Deno.writeTextFile(
            known,
            JSON.stringify({
              v: 1,
              servers: [...servers, {
                server: other,
                fingerprint,
                at: "2025-12-31T00:00:00Z",
              }],
            }),
          );
        await remembered(wrong);
        for (const more of [{}, { typed: true, stdin: "y\n" }]) {
          const changed = await apply(other, more);
          assert.equal(
            changed.err,
            `error: Nothing was sent: the configuration holds secrets, but another server answers:
  ${other} has fingerprint ${theirs}; it was ${wrong} on 2025-12-31
hint: A node without a configuration has a new fingerprint after each boot; if its console shows this one: --cert-fingerprint ${theirs}
`,
          );
          assert.equal(changed.status, 5);
        }
        assert.equal(cluster.nodes[1]?.disk.configured, false);
        await remembered(theirs);
        const same = await apply(other);
        assert.deepEqual([same.status, same.err], [0, ""]);
      },
    );
  });
});

Deno.test("--cert-fingerprint takes the place of what is remembered", async () => {
  await withFolder({}, async (folder) => {
    await withWire(
      { unconfigured: neverConfigured },
      async ({ cluster, osctl, osconfig }) => {
        const [port] = listPorts(cluster);
        const known = `${osconfig.replace(/[^/]*$/, "")}known-servers.json`;
        const file = `${folder}/worker.yaml`;
        await Deno.writeTextFile(file, machineConfig(cluster));
        const line = `apply-config -i -f ${file} -n ${port}`;
        await Deno.writeTextFile(known, "{");
        const broken = await osctl(line);
        assert.equal(broken.status, 2);
        assert.match(
          broken.err,
          /known-servers\.json": it is not a valid list of server fingerprints$/m,
        );
        await Deno.writeTextFile(
          known,
          JSON.stringify({
            v: 1,
            servers: [{ server: port, fingerprint: wrong, at: "2025-12-31" }],
          }),
        );
        const [seen = ""] = fingerprintsIn((await osctl(line)).err);
        const given = await osctl(`${line} --cert-fingerprint ${seen}`);
        assert.deepEqual([given.status, given.err], [0, ""]);
        const { servers } = JSON.parse(await Deno.readTextFile(known));
        assert.deepEqual(
          servers.map((
            { server, fingerprint }: Record<string, string>,
          ) => [server, fingerprint]),
          [[port, seen]],
        );
      },
    );
  });
});

Deno.test("meta write --insecure asks for a fingerprint where the value holds secrets", async () => {
  await withWire(
    { unconfigured: neverConfigured },
    async ({ cluster, osctl }) => {
      const [port] = listPorts(cluster);
      const write = (key: string, value: string, ...more: string[]) =>
        osctl(["meta", "write", key, value, "-i", "-n", port, ...more]);
      for (
        const [key, value] of [
          ["16", "x"],
          ["10", 'links: [{wireguard: {privateKey: "x"}}]'],
          ["12", "https://me:word@10.0.0.9/"],
        ] as const
      ) {
        const { status, err } = await write(key, value);
        assert.equal(status, 5, err);
        assert.match(err, /^error: Nothing was sent: the value holds secrets/);
      }
      // The simulated node then says that it knows no such call.
      const sent = async (key: string, value: string, ...more: string[]) => {
        const { status, err } = await write(key, value, ...more);
        assert.deepEqual([status, err.includes("Nothing was sent")], [
          1,
          false,
        ]);
        assert.match(err, /not implemented in maintenance mode/);
      };
      await sent("12", "rack-7");
      const [seen = ""] = fingerprintsIn((await write("16", "x")).err);
      await sent("16", "x", "--cert-fingerprint", seen);
      await sent("16", "y");
      await sent("16", "z", "--trust-any");
    },
  );
});
