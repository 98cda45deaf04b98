/**
 * A cluster of containers with Podman, created and destroyed by the built executable. Not part of the test suite:
 * `deno test -A tests/e2e/podman.ts`, after `deno task build`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { podmanNeeds, startPodman } from "../_docker.ts";
import { executable, needs } from "../_needs.ts";
import { importStandIn } from "../_stand_in/image.ts";
import { image, osctl as osctlIn, third, withTrial } from "./_docker_trial.ts";
import { run } from "./_osctl.ts";

/** First three parts of the addresses. */
const net = `10.80.${third}`;

Deno.test({
  name:
    "cluster create docker makes a cluster with Podman, and destroy leaves it as it was",
  ...needs(executable, ...podmanNeeds),
  async fn() {
    await using engine = await startPodman();
    await withTrial(engine, async (trial) => {
      const { home, env, api, processors } = trial;
      const osctl = async (line: string) => {
        const ran = await osctlIn(trial, line);
        assert.equal(ran.code, 0, ran.err);
        return ran.out;
      };
      await importStandIn(engine.host, image);
      const before = await api.holdings();
      await osctl(
        `cluster create docker --image ${image} --subnet ${net}.0/24 --mtu 1400 --cpus-controlplanes ${processors} --cpus-workers 1/2 --memory-workers 512MiB --exposed-ports 127.0.0.1:18081:80/tcp`,
      );
      const worker = await api.get("/containers/os-default-worker-1/json");
      const { HostConfig, NetworkSettings } = worker;
      assert.deepEqual(
        [
          HostConfig.NanoCpus,
          HostConfig.Memory,
          HostConfig.ReadonlyRootfs,
          NetworkSettings.Networks["os-default"].IPAddress,
        ],
        [500_000_000, 536_870_912, true, `${net}.3`],
      );
      const first = await api.get("/containers/os-default-controlplane-1/json");
      assert.deepEqual(Object.keys(first.HostConfig.PortBindings).sort(), [
        "50000/tcp",
        "6443/tcp",
        "80/tcp",
      ]);
      await osctl("cluster node power off os-default-worker-1");
      const { network, off, running } = JSON.parse(
        await osctl("cluster show -o json"),
      );
      assert.deepEqual(
        [network.cidrs, network.mtu, off, running],
        [[`${net}.0/24`], 1400, [`${net}.3`], true],
      );
      const consoles = `${home}/logs.tar.gz`;
      await osctl(
        `cluster destroy --save-cluster-logs-archive-path ${consoles}`,
      );
      const console = await run(
        ["-xzOf", consoles, "os-default-controlplane-1.log"],
        { path: "tar", env },
      );
      assert.match(console.out, /^joined$/m);
      assert.deepEqual(await api.holdings(), before);
    });
  },
});
