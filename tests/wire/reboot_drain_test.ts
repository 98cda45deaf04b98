/** `reboot --drain`, and the flags that choose how `upgrade` installs. */

import assert from "node:assert/strict";
import { findRelease } from "../../config/releases.ts";
import type { RunningCluster } from "../../simulator/cluster/cluster.ts";
import { withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

const worker = "simulated-worker-1";

/** Kubernetes objects of the worker. */
function readWorker({ kubernetes }: RunningCluster) {
  const path = `/api/v1/nodes/${worker}`;
  return kubernetes.request({ method: "GET", path }).body as {
    readonly spec: { readonly unschedulable?: boolean };
  };
}

Deno.test("reboot --drain drains a node, reboots it and uncordons it", async () => {
  await withWire({ workers: 2, pace }, async ({ osctl, cluster, names }) => {
    const node = names[1];
    const { out, err, status } = await osctl(
      `reboot --drain --progress plain -n ${node}`,
    );
    assert.equal(status, 0, err);
    assert.match(err, new RegExp(`${worker} is drained: `));
    assert.match(
      out,
      new RegExp(`done +ready, v\\S+; ${worker} is uncordoned`),
    );
    assert.equal(readWorker(cluster).spec.unschedulable, undefined);

    const refused = await osctl(`reboot --drain --wait=false -n ${node}`);
    assert.match(
      refused.err,
      new RegExp(`refused: Without --wait nothing would uncordon ${worker}`),
    );
    assert.equal(refused.status, 5);
  });
});

Deno.test("reboot --drain does not reboot a node that cannot be drained in time, and uncordons it", async () => {
  await withWire({ workers: 2, pace }, async ({ osctl, cluster, names }) => {
    const [, node = ""] = names;
    const boot = `get machinestatus -o jsonpath={.metadata.created} -n ${node}`;
    const before = (await osctl(boot)).out;
    await cluster.setFault(node, "pdb-blocks");
    const { err, status } = await osctl(
      `reboot --drain --drain-timeout 1s -n ${node}`,
    );
    assert.match(err, /timed-out: the node could not be drained; left: /);
    assert.equal(status, 4);
    assert.equal(readWorker(cluster).spec.unschedulable, undefined);
    assert.equal((await osctl(boot)).out, before);
  });
});

Deno.test("v1.13: upgrade --namespace pulls the installer there, and --legacy uses the one call", async () => {
  const { tag } = findRelease("v1.13");
  const release = { tag: "v1.13.0" };
  await withWire({ release, workers: 1, pace }, async ({ osctl, names }) => {
    const line = `upgrade --to ${tag} -n ${names[1]}`;
    const refused = await osctl(`${line} --legacy --namespace inmem`);
    assert.match(
      refused.err,
      /refused: --namespace needs the install call of v1\.13 or later, which --legacy, --stage and --force do not use/,
    );
    assert.equal(refused.status, 5);

    const installed = await osctl(`${line} --namespace inmem --no-reboot`);
    assert.equal(installed.status, 0, installed.err);
    const images = await osctl(
      `image list --namespace inmem -o jsonl -n ${names[1]}`,
    );
    assert.match(images.out, new RegExp(`installer\\S*:${tag}`));

    const legacy = await osctl(`${line} --legacy`);
    assert.equal(legacy.status, 0, legacy.err);
    assert.match(legacy.err, /: pulling /);
    assert.doesNotMatch(legacy.err, /requesting a reboot/);
  });
});
