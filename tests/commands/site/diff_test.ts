import assert from "node:assert/strict";
import { renderSecrets } from "../../../config/generate/secrets_file.ts";
import { plainSchematic } from "../../../config/releases.ts";
import { loopbackAddresses } from "../../../simulator/state/node_address.ts";
import type { NodeComparison } from "../../../workflows/site/compare_site.ts";
import { someSecrets } from "../../config/generate/_bundle.ts";
import { liveSite, withLiveSite } from "./_live.ts";

/** Schematic with the extension iscsi-tools. */
const iscsi =
  "c9078f9419961640c712a8bf2bb9174933dfcf1da383fd8ea2b7dc21493f8bac";

Deno.test("site diff finds nothing where the nodes have what is declared", async () => {
  await withLiveSite(async ({ osctl, folder }) => {
    const line = `site diff --site ${folder} --exit-code`;
    const { out, err, status } = await osctl(line);
    assert.deepEqual([err, status], ["", 0]);
    assert.equal(
      out,
      `cp-1 (controlplane): equal
cp-2 (controlplane): equal
cp-3 (controlplane): equal
w-1 (worker): equal
w-2 (worker): equal
`,
    );
  });
});

/** The site with other values. */
function changed(changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((text, [from, to]) => text.replace(from, to), liveSite);
}

Deno.test("site diff shows by node what differs, and what each difference needs", async () => {
  await withLiveSite(async ({ osctl, folder, edit }) => {
    await edit(
      "site.yaml",
      changed([
        ["kubernetesVersion: 1.34.1", "kubernetesVersion: 1.34.2"],
        ["host: cp-3", `host: cp-3, talosVersion: v1.12.12`],
        ["host: w-1", "host: w-1, extensions: [iscsi-tools]"],
        ["  - {host: w-2, ip: 10.5.0.6, role: worker}\n", ""],
      ]),
    );
    await Deno.mkdir(`${folder}/worker`);
    await edit("worker/a.yaml", "machine: {env: {A: b}, token: other.token}\n");
    const line = `site diff --site ${folder} --exit-code`;
    const { out, status } = await osctl(line);
    assert.equal(status, 6);
    const lines = out.split("\n").filter((text) => /^ {0,2}\w/.test(text));
    const kubernetes = (name: string, image: string) =>
      `  kubernetes ${name}: ${image}:v1.34.1 -> ${image}:v1.34.2, needs an upgrade`;
    const kubelet = kubernetes("kubelet", "ghcr.io/siderolabs/kubelet");
    const controlPlane = [
      ...["kube-apiserver", "kube-controller-manager", "kube-scheduler"],
      "kube-proxy",
    ].map((name) => kubernetes(name, `registry.k8s.io/${name}`));
    assert.deepEqual(lines, [
      "cp-1 (controlplane): different",
      ...[...controlPlane, kubelet],
      "cp-2 (controlplane): different",
      ...[...controlPlane, kubelet],
      "cp-3 (controlplane): different",
      "  version: v1.12.11 -> v1.12.12, needs an upgrade",
      ...[...controlPlane, kubelet],
      "  configuration v1alpha1, no reboot",
      "w-1 (worker): different",
      `  schematic: ${plainSchematic} -> ${iscsi}, needs an upgrade`,
      kubelet,
      "  configuration v1alpha1, needs a reboot",
      "simulated-worker-2 (worker): undeclared",
      "  membership: member -> none, needs a reset",
    ]);
    assert.match(
      out,
      /^ {4}-.* token: '\*{6}'\n {4}\+.* token: '\*{6} \(new\)'$/m,
    );
    assert.ok(!out.includes("other.token"));
  });
});

Deno.test("site diff shows a changed role, and selected nodes as data", async () => {
  await withLiveSite(async ({ osctl, folder, edit }) => {
    await edit(
      "site.yaml",
      changed([[
        "ip: 10.5.0.6, role: worker",
        "ip: 10.5.0.6, role: control-plane",
      ]]),
    );
    const line = `site diff --site ${folder} --nodes w-1,w-2 -o jsonl`;
    const { out, status } = await osctl(line);
    assert.equal(status, 0);
    const rows: readonly NodeComparison[] = out.trim().split("\n")
      .map((text) => JSON.parse(text));
    assert.deepEqual(
      rows.map(({ node, state }) => [node, state]),
      [["w-1", "equal"], ["w-2", "different"]],
    );
    assert.deepEqual(rows[1]?.differences[0], {
      subject: "role",
      name: "",
      live: "worker",
      declared: "controlplane",
      diff: null,
      needs: "reset",
    });
  });
});

Deno.test("site diff tells nodes in maintenance mode, absent and silent ones apart", async () => {
  // The sixth node waits for a configuration at an address of its own.
  const fresh = `127.81.${Deno.pid % 250}.2`;
  await withLiveSite(
    async ({ osctl, folder, edit, cluster }) => {
      await edit(
        "site.yaml",
        `${liveSite}  - {host: w-3, ip: ${fresh}, role: worker}
  - {host: w-4, ip: 127.0.0.1, role: worker}
`,
      );
      await cluster.setFault("simulated-worker-1", "unavailable");
      const line = `site diff --site ${folder} --exit-code`;
      const { out, err, status } = await osctl(line);
      assert.equal(status, 3);
      assert.equal(
        out,
        `cp-1 (controlplane): equal
cp-2 (controlplane): equal
cp-3 (controlplane): equal
w-1 (worker): unreachable: cannot connect to 10.5.0.5:50000: connection refused
w-2 (worker): equal
w-3 (worker): maintenance
  membership: none -> member, needs its configuration
w-4 (worker): absent: Cannot connect to "127.0.0.1:50000": the connection was refused
  membership: none -> member, needs its configuration
`,
      );
      assert.match(
        err,
        /^error: simulated-worker-1 \(10\.5\.0\.5\): cannot connect to /,
      );
    },
    {
      workers: 3,
      unconfigured: (index) => index === 5,
      addresses: (index) =>
        index === 5 ? { host: fresh, port: 50000 } : loopbackAddresses(index),
    },
  );
});

Deno.test("site diff refuses the context of another cluster", async () => {
  await withLiveSite(async ({ osctl, folder, edit }) => {
    await edit("secrets.yaml", renderSecrets(someSecrets));
    const { err, status } = await osctl(`site diff --site ${folder}`);
    assert.equal(status, 2);
    assert.match(
      err,
      /^error: Context "simulated" is for another cluster, "simulated", than the secrets of site ".*\/site\.yaml"\n/m,
    );
  });
});

Deno.test("commands that render the site warn of the patches of a node whose name has changed", async () => {
  await withLiveSite(async ({ osctl, folder, edit }) => {
    await Deno.mkdir(`${folder}/node/w-2`, { recursive: true });
    await edit("node/w-2/env.yaml", "machine: {env: {A: b}}\n");
    await edit("site.yaml", liveSite.replace("host: w-2", "host: w-two"));
    const warning =
      `warning: ${folder}/node/w-2: there is no node "w-2": these patches are not applied\n`;
    for (const command of ["render", "diff", "plan", "apply --yes", "status"]) {
      const { err, status } = await osctl(`site ${command} --site ${folder}`);
      assert.ok(err.startsWith(warning), `${command}: ${err}`);
      assert.equal(status, 0, err);
    }
  });
});
