import assert from "node:assert/strict";
import { poll } from "../../../lib/poll.ts";
import { needs } from "../../_needs.ts";
import { loopbackAddresses } from "../../../simulator/state/node_address.ts";
import { countBoots } from "../runbook/_home.ts";
import { liveSite, withLiveSite } from "./_live.ts";

/** Upgrades of five nodes over sockets. */
export const longestSeconds = 180;

const sysctl = "machine: {sysctls: {net.core.somaxconn: '1024'}}\n";

/** Stages of a plan, without what is left alone and the steps. */
function stages(out: string): readonly string[] {
  return out.split("\n").filter((line) => /^\d+\. /.test(line));
}

Deno.test("site apply rolls changed configurations out, and changes nothing the second time", async () => {
  await withLiveSite(async ({ osctl, folder, edit, ids, home }) => {
    await edit("all/sysctl.yaml", sysctl);
    const { out, err, status } = await osctl(
      `site apply --site ${folder} --yes`,
    );
    assert.equal(status, 0, err);
    assert.match(out, /^site-apply on simulated succeeded\n/);
    assert.deepEqual(stages(err), [
      "1. Apply changed configurations: w-1; then w-2; then cp-1, cp-2, cp-3, one at a time",
    ]);
    const diff = await osctl(`site diff --site ${folder} --exit-code`);
    assert.equal(diff.status, 0, diff.out);
    const second = await osctl(`site apply --site ${folder} --yes`);
    assert.deepEqual(
      [second.out, second.err, second.status],
      ["", "Nothing to do\n", 0],
    );
    assert.equal((await ids()).length, 1);
    // The configurations are in the vault alone.
    const secrets = await Deno.readTextFile(`${folder}/secrets.yaml`);
    const words = [...secrets.matchAll(/(?:token|secret|key): (\S{12,})/gi)]
      .map(([, word = ""]) => word);
    assert.ok(words.length > 5);
    const [id = ""] = await ids();
    for await (const path of listFiles(`${home}/runs/${id}`)) {
      const text = await Deno.readTextFile(path);
      for (const word of words) assert.ok(!text.includes(word), path);
    }
  });
});

Deno.test("site apply upgrades the system and Kubernetes, and drains nodes that reboot for their configuration", async () => {
  await withLiveSite(async ({ osctl, folder, edit, cluster }) => {
    await edit(
      "site.yaml",
      liveSite.replace("v1.12.11", "v1.12.12").replace("1.34.1", "1.34.2")
        .replace(
          "host: w-1",
          "host: w-1, extensions: [iscsi-tools]",
        ),
    );
    await Deno.mkdir(`${folder}/worker`);
    await edit("worker/env.yaml", "machine: {env: {A: b}}\n");
    const line = [
      "--yes",
      "--yes-destructive",
      "allow-image-identity:simulated",
    ];
    const { out, err, status } = await osctl([
      ...["site", "apply", "--site", folder],
      ...line,
    ]);
    assert.equal(status, 0, err + out);
    assert.deepEqual(stages(err), [
      "1. Apply changed configurations: w-1 (reboot); then w-2 (reboot); then cp-1, cp-2, cp-3, one at a time",
      "2. Upgrade the operating system to v1.12.12: w-2; then cp-1, cp-2, cp-3, one at a time",
      "3. Upgrade the operating system to v1.12.12 with another schematic: w-1",
      "4. Upgrade Kubernetes to v1.34.2: API servers, controller managers, schedulers, kube-proxy, kubelets of control planes, then of workers",
    ]);
    const diff = await osctl(`site diff --site ${folder} --exit-code`);
    assert.equal(diff.status, 0, diff.out);
    assert.deepEqual(countBoots(cluster), {
      "simulated-controlplane-1": 2,
      "simulated-controlplane-2": 2,
      "simulated-controlplane-3": 2,
      // For the configuration, and for the new system.
      "simulated-worker-1": 3,
      "simulated-worker-2": 3,
    });
  });
});

/** Address of a node that is no member yet. */
const fresh = `127.82.${Deno.pid % 250}.2`;

Deno.test("site apply gives nodes in maintenance mode their configuration, if their fingerprint is accepted", async () => {
  await withLiveSite(
    async ({ osctl, folder, edit }) => {
      await edit(
        "site.yaml",
        `${liveSite}  - {host: w-3, ip: ${fresh}, role: worker}\n`,
      );
      const line = `site apply --site ${folder} --yes`;
      const refused = await osctl(line);
      assert.equal(refused.status, 5, refused.err);
      const [, fingerprint = ""] =
        /--cert-fingerprint (\S+);/.exec(refused.err) ?? [];
      assert.deepEqual(stages(refused.err), [
        `1. Apply their first configurations to new nodes: w-3 (fingerprint ${fingerprint})`,
      ]);
      const other = await osctl(
        `${line} --cert-fingerprint ${btoa("x".repeat(32))}`,
      );
      assert.equal(other.status, 5, other.err);
      const { err, status } = await osctl(
        `${line} --cert-fingerprint ${fingerprint}`,
      );
      assert.equal(status, 0, err);
      const diff = await osctl(`site diff --site ${folder} --exit-code`);
      assert.equal(diff.status, 0, diff.out);
    },
    {
      workers: 3,
      unconfigured: (index) => index === 5,
      addresses: (index) =>
        index === 5 ? { host: fresh, port: 50000 } : loopbackAddresses(index),
    },
  );
});

Deno.test(
  "site apply runs a saved plan, and refuses it after the site or a node has changed",
  needs("git"),
  async () => {
    await withLiveSite(
      async ({ osctl, folder, edit, home, ids, journal, names }) => {
        const git = async (...args: readonly string[]) => {
          const { stdout } = await new Deno.Command("git", {
            args: [
              ...[
                "-C",
                folder,
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.com",
              ],
              ...args,
            ],
            stderr: "null",
          }).output();
          return new TextDecoder().decode(stdout).trim();
        };
        await edit("all/sysctl.yaml", sysctl);
        await edit(".gitignore", "secrets.yaml\n");
        await git("init", "-q");
        await git("add", ".");
        await git("commit", "-qm", "one");
        const commit = await git("rev-parse", "HEAD");
        const file = `${home}/plan.json`;
        const plan =
          `site plan --site ${folder} --nodes w-1,w-2 --details -o ${file}`;
        const planned = await osctl(plan);
        assert.deepEqual(
          [planned.err, planned.status],
          [`Apply it with: osctl site apply ${file} --site ${folder}\n`, 0],
        );
        assert.match(
          planned.out,
          /^Changes, in this order:\n1\. Apply changed configurations: w-1; then w-2\n/,
        );
        assert.match(
          planned.out,
          /^\d+ · .+ +simulated-worker-2 +changes +apply configuration \(auto\)$/m,
        );
        const apply = `site apply ${file} --site ${folder} --yes`;

        const both = await osctl(`${apply} --only os`);
        assert.equal(both.status, 2, both.err);
        await edit("worker.yaml", "");
        await Deno.mkdir(`${folder}/worker`);
        await edit("worker/b.yaml", "machine: {sysctls: {a: '1'}}\n");
        const changed = await osctl(apply);
        assert.equal(changed.status, 5);
        assert.match(
          changed.err,
          /^warning: .* has changes that are not in git$/m,
        );
        assert.match(
          changed.err,
          /^error: Cannot apply ".*": the site or its nodes have changed since: w-1, w-2$/m,
        );
        await Deno.remove(`${folder}/worker`, { recursive: true });
        await Deno.remove(`${folder}/worker.yaml`);

        // The same change by another process: nothing is left of it, but the plan was made for another node.
        const patch = JSON.stringify({ machine: { sysctls: { b: "1" } } });
        const patched = await osctl([
          ...[
            "patch",
            "machineconfig",
            "--patch",
            patch,
            "--nodes",
            names[4] ?? "",
          ],
          "--yes",
        ]);
        assert.equal(patched.status, 0, patched.err);
        const other = await osctl(apply);
        assert.equal(other.status, 5);
        assert.match(other.err, /have changed since: w-2$/m);

        assert.equal((await osctl(plan)).status, 0);
        const { err, status } = await osctl(apply);
        assert.equal(status, 0, err);
        const [id = ""] = await ids();
        const [, start] = await journal(id);
        assert.deepEqual(start?.data?.inputs, {
          commit,
          configurations: { secret: "input/configurations" },
        });
        const { out } = await osctl(`site status --site ${folder}`);
        assert.match(
          out,
          new RegExp(
            `^Last run: ${id} succeeded, started (now|\\d+ (second|minute)s? ago), ${
              commit.slice(0, 12)
            }$`,
            "m",
          ),
        );
        assert.match(
          out,
          /^Nodes different: cp-1, cp-2, cp-3\nNodes equal: w-1, w-2$/m,
        );
        assert.match(
          out,
          /^OS: v1\.12\.11 \(5 nodes\)\nKubernetes: v1\.34\.1 \(5 nodes\)\nCA of node API: expires 20/m,
        );
      },
    );
  },
);

Deno.test("site plan upgrades to the declared version, whatever the version of the installer image in a patch", async () => {
  await withLiveSite(async ({ osctl, folder, edit }) => {
    const image = "ghcr.io/siderolabs/installer:v1.12.11";
    await edit("all/image.yaml", `machine: {install: {image: "${image}"}}\n`);
    await edit("site.yaml", liveSite.replace("v1.12.11", "v1.12.12"));
    const { out, status } = await osctl(
      `site plan --site ${folder} --details --only os -n cp-1,w-1`,
    );
    assert.equal(status, 0, out);
    assert.match(
      out,
      /^\d+ · pull the image +simulated-worker-1 +changes +pull ghcr\.io\/siderolabs\/installer:v1\.12\.12$/m,
    );
  });
});

Deno.test("site apply bootstraps etcd where no control plane runs it", async () => {
  await withLiveSite(async ({ osctl, folder }) => {
    const { err, status } = await osctl(`site apply --site ${folder} --yes`);
    assert.equal(status, 0, err);
    assert.deepEqual(stages(err), ["1. Bootstrap etcd: cp-1"]);
    const again = await osctl(`site apply --site ${folder} --yes`);
    assert.equal(again.err, "Nothing to do\n");
  }, { bootstrapped: false });
});

Deno.test("site plan and site apply leave a silent node alone, and end with status 3 as site diff", async () => {
  await withLiveSite(async ({ osctl, folder, edit, cluster, ids }) => {
    await cluster.setFault("simulated-worker-1", "unavailable");
    const error =
      /^error: simulated-worker-1 \(10\.5\.0\.5\): cannot connect to /m;
    const verify = (
      { status, err }: { readonly status: number; readonly err: string },
    ) => {
      assert.equal(status, 3, err);
      assert.match(err, error);
    };
    const idle = await osctl(`site plan --site ${folder}`);
    verify(idle);
    assert.match(
      idle.out,
      /^Nothing to do\n\nNot touched:\n {2}w-1 is unreachable: /,
    );
    verify(await osctl(`site apply --site ${folder} --yes`));
    await edit("all/sysctl.yaml", sysctl);
    const changing = await osctl(`site plan --site ${folder} --nodes w-1,w-2`);
    verify(changing);
    assert.match(
      changing.out,
      /^Changes, in this order:\n1\. Apply changed configurations: w-2\n/,
    );
    assert.deepEqual(await ids(), []);
    // The run waits until the cluster is healthy; the node answers too late to be compared.
    const ended = new AbortController();
    const applying = osctl(
      `site apply --site ${folder} --nodes w-1,w-2 --yes`,
    ).finally(() => ended.abort());
    for await (const _ of poll(ended, { everyMs: 20 })) {
      if ((await ids()).length > 0) break;
    }
    await cluster.setFault("simulated-worker-1", "unavailable", false);
    const changed = await applying;
    verify(changed);
    assert.match(changed.out, /^site-apply on simulated succeeded\n/);
    const diff = await osctl(`site diff --site ${folder} --nodes w-2`);
    assert.equal(diff.out, "w-2 (worker): equal\n");
  });
});

async function* listFiles(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* listFiles(path);
    else yield path;
  }
}
