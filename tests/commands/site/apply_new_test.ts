import assert from "node:assert/strict";
import { CancelledError } from "../../../errors.ts";
import { noStore } from "../../../simulator/cluster/saved_state.ts";
import { loopbackAddresses } from "../../../simulator/state/node_address.ts";
import { withLiveSite } from "./_live.ts";

/** Clusters that are created over sockets. */
export const longestSeconds = 120;

/** A site of three control planes and a worker, each at a loopback address of its own, and a cluster of these. */
function newSite(block: number) {
  const at = (index: number) => `127.${block}.${Deno.pid % 250}.${index + 2}`;
  const site = `clusterName: simulated
clusterEndpoint: https://${at(0)}:6443
kubernetesVersion: 1.34.1
talosVersion: v1.12.11
nodes:
  - {host: cp-1, ip: ${at(0)}, role: control-plane}
  - {host: cp-2, ip: ${at(1)}, role: control-plane}
  - {host: cp-3, ip: ${at(2)}, role: control-plane}
  - {host: w-1, ip: ${at(3)}, role: worker}
`;
  const addresses = (index: number) => ({ host: at(index), port: 50000 });
  const options = { bootstrapped: false, unconfigured: () => true, addresses };
  return { at, site, options };
}

Deno.test("site apply creates a cluster from nodes in maintenance mode, and has nothing to do the second time", async () => {
  const { at, site, options } = newSite(83);
  await withLiveSite(
    async ({ osctl, folder, home, ids, osconfig, cluster }) => {
      const live = await osctl(`site diff --site ${folder}`);
      assert.match(live.out, /^cp-1 \(controlplane\): maintenance\n/);
      const plan = await osctl(`site plan --site ${folder} -o ${home}/plan`);
      assert.equal(plan.status, 0, plan.err);
      assert.match(
        plan.out,
        /^1\. Apply their first configurations to new nodes: cp-1 \(fingerprint \S+\), cp-2 .*; etcd is bootstrapped on cp-1$/m,
      );

      for (
        const [flags, message] of [
          ["--yes", "Nothing was sent: the configuration holds secrets"],
          [
            "--yes -n cp-1",
            'Cannot create cluster "simulated", and nothing was sent:\n  it needs all nodes',
          ],
        ]
      ) {
        const refused = await osctl(`site apply --site ${folder} ${flags}`);
        assert.equal(refused.status, 5, refused.err);
        assert.ok(refused.err.includes(`error: ${message}`), refused.err);
      }

      const line = `site apply --site ${folder} --yes --trust-any`;
      const other = `${home}/other`;
      const known = await Deno.readTextFile(osconfig);
      const [, crt = ""] = /crt: (\S+)/.exec(known) ?? [];
      await Deno.writeTextFile(other, known.replace(/ca: \S+/, `ca: ${crt}`));
      const foreign = await osctl(line, { env: { OSCONFIG: other } });
      assert.equal(foreign.status, 2, foreign.err);
      assert.match(
        foreign.err,
        /^error: Context "simulated" has another CA than the secrets of site .*\nhint: .* osctl site render --site .* -o out; then/m,
      );
      assert.ok(cluster.nodes.every(({ disk }) => !disk.configured));

      await osctl(`site render --site ${folder} -o ${home}/out`);
      // The fingerprints are those of the plan.
      const { err, status } = await osctl(
        `site apply ${home}/plan --site ${folder} --yes --trust-any`,
        { env: { OSCONFIG: `${home}/out/osconfig` } },
      );
      assert.equal(status, 0, err);
      const diff = await osctl(`site diff --site ${folder} --exit-code`);
      assert.equal(diff.status, 0, diff.out);
      const members = await osctl(`etcd members -n ${at(0)} -o jsonl`);
      assert.equal(members.out.trim().split("\n").length, 3);
      const again = await osctl(line);
      assert.deepEqual([again.err, again.status], ["Nothing to do\n", 0]);
      assert.equal((await ids()).length, 1);
    },
    options,
    site,
  );
});

Deno.test("site apply creates no cluster that another node may hold", async () => {
  const { at, site, options } = newSite(85);
  const own = site.split("  - {host: cp-2")[0] ?? "";
  const other = own.replaceAll(at(0), at(9));
  // A cluster that the context of the new one does not know.
  await withLiveSite(() =>
    withLiveSite(
      async ({ osctl, folder, edit, cluster }) => {
        await edit(
          "site.yaml",
          `${own}  - {host: cp-2, ip: ${at(1)}, role: control-plane}
  - {host: w-1, ip: ${at(9)}, role: worker}
  - {host: w-2, ip: ${at(8)}, role: worker}
`,
        );
        for (const command of ["apply --yes --trust-any", "plan", "rehearse"]) {
          const { err, status } = await osctl(
            `site ${command} --site ${folder}`,
          );
          assert.equal(status, 5, err);
          assert.match(
            err,
            /^error: Cannot create cluster "simulated", and nothing was sent:$/m,
          );
          const reasons = err.split("\n").filter((line) =>
            /^ {2}\S/.test(line)
          );
          assert.equal(reasons.length, 2, err);
          const [silent = "", joined] = reasons;
          assert.ok(silent.startsWith(`  cp-2 (${at(1)}) cannot be reached: `));
          assert.equal(
            joined,
            `  w-1 (${at(9)}) answers, and is not in maintenance mode`,
          );
        }
        assert.ok(cluster.nodes.every(({ disk }) => !disk.configured));
      },
      options,
      own,
    ), {
    bootstrapped: false,
    addresses: () => ({ host: at(9), port: 50000 }),
  }, other);
});

Deno.test("an interrupted apply of a new cluster is resumed as any other run, whatever node has got its configuration", async () => {
  const { site, options } = newSite(86);
  const killed = new AbortController();
  const store = {
    ...noStore,
    // The first node has got its configuration.
    write(path: string, text: string) {
      if (
        path.includes("controlplane-1") && text.includes(`"configured":"true"`)
      ) {
        killed.abort(new CancelledError());
      }
      return Promise.resolve();
    },
  };
  await withLiveSite(
    async ({ osctl, folder, ids, cluster }) => {
      const line = `site apply --site ${folder} --yes --trust-any`;
      const { err, status } = await osctl(line, { signal: killed.signal });
      assert.equal(status, 130, err);
      const [id = ""] = await ids();
      const other = await osctl(line);
      assert.equal(other.status, 8, other.err);
      const again = await osctl(`runbook resume ${id} --yes`);
      assert.equal(again.status, 0, again.err);
      assert.ok(cluster.nodes.every(({ counts }) => counts.boots === 2));
      const diff = await osctl(`site diff --site ${folder} --exit-code`);
      assert.equal(diff.status, 0, diff.out);
    },
    { ...options, store },
    site,
  );
});

Deno.test("site apply configures the other nodes of a new cluster, and bootstraps etcd once", async () => {
  const at = (index: number) => `127.84.${Deno.pid % 250}.${index + 2}`;
  const site = `clusterName: simulated
clusterEndpoint: https://10.5.0.2:6443
kubernetesVersion: 1.34.1
talosVersion: v1.12.11
nodes:
  - {host: cp-1, ip: 10.5.0.2, role: control-plane}
  - {host: cp-2, ip: ${at(1)}, role: control-plane}
  - {host: w-1, ip: ${at(2)}, role: worker}
`;
  await withLiveSite(
    async ({ osctl, folder }) => {
      const line = `site apply --site ${folder} --yes --trust-any`;
      const { err, status } = await osctl(line);
      assert.equal(status, 0, err);
      const diff = await osctl(`site diff --site ${folder} --exit-code`);
      assert.equal(diff.status, 0, diff.out);
      const members = await osctl("etcd members -n 10.5.0.2 -o jsonl");
      assert.equal(members.out.trim().split("\n").length, 2);
    },
    {
      bootstrapped: false,
      unconfigured: (index) => index > 0,
      addresses: (index) =>
        index === 0
          ? loopbackAddresses(index)
          : { host: at(index), port: 50000 },
    },
    site,
  );
});
