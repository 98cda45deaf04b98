import assert from "node:assert/strict";
import { renderSecrets } from "../../../config/generate/secrets_file.ts";
import { someSecrets } from "../../config/generate/_bundle.ts";
import { run } from "../../_run.ts";
import { withFiles } from "../../workflows/site/_site.ts";
import { liveSite, withLiveSite } from "./_live.ts";

/** Rehearsals of whole rollouts. */
export const longestSeconds = 180;

const offline = {
  "site.yaml": liveSite,
  "secrets.yaml": renderSecrets(someSecrets),
  "all/disk.yaml": "machine: {install: {disk: /dev/sda}}\n",
};

Deno.test("site rehearse --offline applies the site to simulated nodes, asks no node, and takes faults", async () => {
  await withFiles(offline, async (folder) => {
    const line = ["site", "rehearse", "--offline", "--site", folder];
    const { out, err, status } = await run(line);
    assert.equal(status, 0, err);
    assert.match(
      out,
      /^site-apply rehearsed on sim:3cp\+2w,v1\.12\.11, seed 1\n1 run, all as expected;/,
    );
    assert.match(
      err,
      /^1\. Apply changed configurations: w-1 \(reboot\); then w-2 \(reboot\); then cp-1 \(reboot\), cp-2 \(reboot\), cp-3 \(reboot\), one at a time$/m,
    );
    const fault = "node/worker-2: never-returns @ replace";
    const failed = await run([...line, "--fault", fault]);
    assert.match(failed.out, /worker-2/);
    assert.equal(failed.status, 0, failed.err + failed.out);
  });
});

Deno.test("site rehearse --offline --new plays the creation of a cluster, and nodes that join one", async () => {
  await withFiles(offline, async (folder) => {
    const rehearse = (...more: readonly string[]) =>
      run(["site", "rehearse", "--offline", "--site", folder, ...more]);
    const created = await rehearse("--new", "@all");
    assert.equal(created.status, 0, created.err + created.out);
    assert.equal(
      created.err,
      "1. Apply their first configurations to new nodes: cp-1, cp-2, cp-3, w-1, w-2; etcd is bootstrapped on cp-1\n",
    );
    assert.match(created.out, /\n1 run, all as expected;/);
    const fault = "rpc/ApplyConfiguration: reply-lost times 1";
    const joined = await rehearse(
      ...["--new", "cp-1", "--new", "10.5.0.6", "--fault", fault],
    );
    assert.equal(joined.status, 0, joined.err + joined.out);
    assert.deepEqual(joined.err.split("\n").slice(0, 2), [
      "1. Apply changed configurations: w-1 (reboot); then cp-2 (reboot), cp-3 (reboot), one at a time",
      "2. Apply their first configurations to new nodes: cp-1, w-2",
    ]);
    const live = await run(`site rehearse --site ${folder} --new w-1`);
    assert.equal(live.status, 2);
    assert.match(live.err, /^error: Flag --new needs --offline\n/);
    await Deno.writeTextFile(
      `${folder}/site.yaml`,
      liveSite.replace("v1.12.11", "v1.10.6"),
    );
    const old = await rehearse("--new", "@all");
    assert.equal(
      old.err,
      "error: Cannot rehearse the creation of a cluster of v1.10.6\nhint: It needs v1.11.0 or a later version\n",
    );
    const unknown = await rehearse("--new", "w-9");
    assert.equal(unknown.status, 2);
    assert.match(unknown.err, /^error: The site has no node "w-9"\n/);
  });
});

Deno.test("site rehearse plays the nodes that wait for a configuration, in a cluster and without one", async () => {
  const at = (index: number) => `127.87.${Deno.pid % 250}.${index + 2}`;
  const site = Array.from("23456").reduce(
    (text, last, index) => text.replaceAll(`10.5.0.${last}`, at(index)),
    liveSite,
  );
  const addresses = (index: number) => ({ host: at(index), port: 50000 });
  for (
    const { unconfigured, stages } of [{
      unconfigured: (index: number) => index === 2 || index === 4,
      stages: [
        "1. Apply changed configurations: w-1; then cp-1, cp-2, one at a time",
        "2. Apply their first configurations to new nodes: cp-3, w-2",
      ],
    }, {
      unconfigured: () => true,
      stages: [
        "1. Apply their first configurations to new nodes: cp-1, cp-2, cp-3, w-1, w-2; etcd is bootstrapped on cp-1",
      ],
    }]
  ) {
    await withLiveSite(
      async ({ osctl, folder, edit, cluster }) => {
        const sysctl = "machine: {sysctls: {net.core.somaxconn: '1024'}}\n";
        await edit("all/sysctl.yaml", sysctl);
        const { out, err, status } = await osctl(
          `site rehearse --site ${folder}`,
        );
        assert.equal(status, 0, out + err);
        assert.match(out, /\n1 run, all as expected;/);
        assert.deepEqual(err.split("\n").slice(0, stages.length), stages);
        const waiting = cluster.nodes.filter(({ disk }) => !disk.configured);
        assert.ok(waiting.length > 0);
      },
      { addresses, unconfigured, bootstrapped: stages.length > 1 },
      site,
    );
  }
});

Deno.test("site rehearse comes to the same end wherever the process is killed or a call is lost", async () => {
  await withFiles(offline, async (folder) => {
    const line = `site rehearse --offline --site ${folder} --cases 3`;
    const { out, status } = await run(
      `${line} --matrix kill,kill-calls,network`,
    );
    assert.equal(status, 0, out);
    assert.match(out, /\n10 runs, all as expected;/);
  });
});

Deno.test("site rehearse simulates the live nodes, with their differences and without their secrets", async () => {
  await withLiveSite(async ({ osctl, folder, edit, names, cluster }) => {
    await edit(
      "site.yaml",
      liveSite.replace("v1.12.11", "v1.12.12").replace("1.34.1", "1.34.2"),
    );
    await Deno.mkdir(`${folder}/worker`);
    await edit("worker/env.yaml", "machine: {env: {A: b}}\n");
    const line = `site rehearse --site ${folder} --report ${folder}/report`;
    const { out, err, status } = await osctl(line);
    assert.equal(status, 0, out + err);
    assert.match(
      out,
      /^site-apply rehearsed on sim:3cp\+2w,v1\.12\.11, seed 1\n/,
    );
    assert.match(
      err,
      /^2\. Upgrade the operating system to v1\.12\.12: w-1; then/m,
    );
    assert.match(err, /^3\. Upgrade Kubernetes to v1\.34\.2: /m);
    const secrets = await Deno.readTextFile(`${folder}/secrets.yaml`);
    const report = await Deno.readTextFile(`${folder}/report/report.json`);
    for (
      const [, word = ""] of secrets.matchAll(
        /(?:token|secret|key): (\S{12,})/g,
      )
    ) {
      assert.ok(!report.includes(word));
    }
    // The nodes themselves are as they were.
    assert.equal(cluster.nodes.length, names.length);
    const same = await osctl(`site diff --site ${folder} -o jsonl`);
    assert.ok(same.out.includes('"live":"v1.12.11"'));
  });
});
