/**
 * Clusters of containers with a real Docker engine: created, used, killed in every phase, continued and destroyed by the
 * built executable. They take as long as a third of the test suite, so that they are not part of it:
 * `deno test -A tests/e2e/docker.ts`, after `deno task build`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { engineNeeds, startTlsEngine, writeContext } from "../_docker.ts";
import { executable, needs } from "../_needs.ts";
import { importStandIn } from "../_stand_in/image.ts";
import {
  createAfterKills,
  destroyAfterKills,
  labIsAsAskedFor,
  labIsDestroyed,
  labIsStartedAgain,
} from "./_docker_lab.ts";
import { image, osctl as osctlIn, third, withTrial } from "./_docker_trial.ts";
import { run } from "./_osctl.ts";

/** First three parts of the addresses. */
const net = `10.77.${third}`;

Deno.test({
  name: "cluster create docker, end to end",
  ...needs(executable, ...engineNeeds),
  async fn(t) {
    await using engine = await startTlsEngine();
    await withTrial(engine, async (trial) => {
      const { home, env, api, processors } = trial;
      await writeContext(`${home}/.docker`, "far", engine);
      const { DOCKER_HOST: _, ...common } = env;
      const tlsEnv = { ...common, DOCKER_CONTEXT: "far" };
      const osctl = (line: string) => osctlIn(trial, line);
      const folders = async () =>
        (await Array.fromAsync(Deno.readDir(`${home}/.os/clusters`)))
          .map(({ name }) => name).sort();

      await t.step("the image of stand-in nodes is imported", async () => {
        await importStandIn(engine.host, image);
      });
      const before = await api.holdings();

      await t.step("a cluster is created, and is healthy", async () => {
        const { code, out, err } = await osctl(
          `cluster create docker --image ${image} --workers 1 --cpus-controlplanes ${processors} --memory-workers 1GiB --cpus-workers 0.5 --subnet ${net}.0/24 --mtu 1400 --host-ip 127.0.0.2 --exposed-ports 127.0.0.1:18080:80/tcp,18053:53/udp --mount type=tmpfs,target=/scratch`,
        );
        assert.equal(code, 0, err);
        assert.equal(
          out,
          `NAME                        TYPE           IP            CPU    RAM
os-default-controlplane-1   controlplane   ${net}.2   ${processors}.00   2.1 GB
os-default-worker-1         worker         ${net}.3   0.50   1.1 GB

Cluster "os-default" is ready: 2 nodes; context "os-default" in ${home}/.os/config
`,
        );
        const said = err.replaceAll(
          /^(warning|waiting for Kubernetes at|.*, \d+s(?: \(timeout .*\))?$).*\n/gm,
          "",
        )
          .replaceAll(/\d+\.\d s$/gm, "N s")
          // Phases that take long are announced.
          .replaceAll(/^(.+)\n(?=(?:.*\n)*\1: N s$)/gm, "");
        assert.equal(
          said,
          `checking the engine: N s
generating configurations: N s
creating network os-default: N s
os-default-controlplane-1: started
creating controlplane nodes: N s
os-default-worker-1: started
creating worker nodes: N s
waiting for the node API: N s
bootstrapping etcd: N s
waiting for healthy nodes: N s
merging kubeconfig into ${home}/.kube/config: N s
hint: Check it with: osctl health
hint: Destroy it with: osctl cluster destroy
`,
        );
      });

      await t.step("the engine has what was asked for", async () => {
        const [network] = await api.get(
          "/networks?filters=" +
            encodeURIComponent('{"label":["talos.cluster.name=os-default"]}'),
        );
        assert.equal(network.Name, "os-default");
        assert.deepEqual(network.IPAM.Config, [
          { Subnet: `${net}.0/24`, Gateway: `${net}.1` },
        ]);
        assert.equal(network.Options["com.docker.network.driver.mtu"], "1400");
        const worker = await api.get("/containers/os-default-worker-1/json");
        const { Config, HostConfig, NetworkSettings } = worker;
        assert.equal(Config.Hostname, "os-default-worker-1");
        assert.deepEqual(Config.Labels, {
          "talos.owned": "true",
          "talos.cluster.name": "os-default",
          "talos.type": "worker",
        });
        const [platform, sku, userdata] = Config.Env;
        assert.equal(platform, "PLATFORM=container");
        assert.equal(sku, "TALOSSKU=0CPU-1024RAM");
        assert.match(
          atob(userdata.replace("USERDATA=", "")),
          /^ {4}type: worker\b/m,
        );
        assert.equal(HostConfig.NanoCpus, 500_000_000);
        assert.equal(HostConfig.Memory, 1_073_741_824);
        assert.equal(HostConfig.ReadonlyRootfs, true);
        assert.deepEqual(HostConfig.SecurityOpt, ["seccomp:unconfined"]);
        assert.deepEqual(HostConfig.Sysctls, {
          "net.ipv6.conf.all.disable_ipv6": "0",
        });
        const mounts = worker.Mounts.map(
          ({ Type, Destination }: Record<string, string>) =>
            `${Type} ${Destination}`,
        ).sort();
        assert.deepEqual(mounts, [
          "tmpfs /run",
          "tmpfs /scratch",
          "tmpfs /system",
          "tmpfs /tmp",
          "volume /etc/cni",
          "volume /etc/kubernetes",
          "volume /opt",
          "volume /system/state",
          "volume /usr/libexec/kubernetes",
          "volume /var",
        ]);
        assert.equal(
          NetworkSettings.Networks["os-default"].IPAddress,
          `${net}.3`,
        );
        const first = await api.get(
          "/containers/os-default-controlplane-1/json",
        );
        const ports = first.HostConfig.PortBindings;
        assert.deepEqual(Object.keys(ports).sort(), [
          "50000/tcp",
          "53/udp",
          "6443/tcp",
          "80/tcp",
        ]);
        assert.deepEqual(ports["53/udp"], [
          { HostIp: "127.0.0.2", HostPort: "18053" },
        ]);
        assert.deepEqual(ports["80/tcp"], [
          { HostIp: "127.0.0.1", HostPort: "18080" },
        ]);
        assert.equal(ports["50000/tcp"][0].HostIp, "127.0.0.1");
      });

      await t.step(
        "a name that exists, and a subnet that is taken, are refused",
        async () => {
          const again = await osctl(`cluster create docker --image ${image}`);
          assert.match(again.err, /Cannot create cluster "os-default"/);
          assert.equal(again.code, 2);
          const { err, code } = await osctl(
            `cluster create docker --image 127.0.0.1:9/os:v1.12.0 --name two --subnet ${net}.0/24 --cpus-controlplanes ${processors} --cpus-workers ${processors} --memory-workers 900GiB --exposed-ports 127.0.0.1:18080:80/tcp`,
          );
          assert.equal(code, 2);
          assert.match(err, /Cannot create cluster "two": 4 problems\n/);
          assert.match(err, /the nodes need \d+ MiB of memory/);
          const own =
            `subnet ${net}.0/24 overlaps ${net}.0/24, cluster "os-default"`;
          assert.ok(
            err.includes(
              `  ${own}\n    Use a free one: --subnet 10.5.0.0/24\n`,
            ),
            err,
          );
          assert.match(err, /port 18080\/tcp of 127\.0\.0\.1 is in use/);
          assert.match(
            err,
            /image 127\.0\.0\.1:9\/os:v1\.12\.0 is not available locally/,
          );
          assert.deepEqual(await folders(), ["os-default"]);
        },
      );

      await t.step("a runbook runs on it, with a reboot", async () => {
        const path = `${home}/restart.runbook.yaml`;
        await osctl(`runbook new ${home}/restart`);
        const ran = await osctl(`runbook run ${path} --input soak=0s --yes`);
        assert.equal(ran.code, 0, ran.err + ran.out);
      });

      await t.step(
        "nodes are switched off and on, and their consoles are read",
        async () => {
          const off = await osctl("cluster node power off os-default-worker-1");
          assert.equal(off.code, 0, off.err);
          const shown = JSON.parse((await osctl("cluster show -o json")).out);
          assert.deepEqual(shown.off, [`${net}.3`]);
          await osctl("cluster node power on os-default-worker-1");
          const again = JSON.parse((await osctl("cluster show -o json")).out);
          assert.deepEqual([again.off, again.running], [[], true]);
        },
      );

      await t.step(
        "creating is killed in every phase: destroy cleans up",
        () => destroyAfterKills(trial),
      );

      // The same engine, by a context with certificates.
      const lab = { ...trial, env: tlsEnv };
      const both = await api.holdings();
      await t.step(
        "creating is killed in every phase: a second create continues it",
        () => createAfterKills(lab),
      );
      await t.step(
        "two clusters run, and the second has what was asked for",
        () => labIsAsAskedFor(lab),
      );
      await t.step(
        "nodes that were stopped are started",
        () => labIsStartedAgain(lab),
      );
      await t.step(
        "a cluster without its folder is destroyed by the state of talosctl",
        () => labIsDestroyed(lab, both),
      );

      await t.step("destroy leaves the engine as it was", async () => {
        const [consoles, bundle] = [
          `${home}/logs.tar.gz`,
          `${home}/support.zip`,
        ];
        const { code, err } = await osctl(
          `cluster destroy --save-cluster-logs-archive-path ${consoles} --save-support-archive-path ${bundle}`,
        );
        assert.equal(code, 0, err);
        const listed = await run(["-tzf", consoles], { path: "tar", env });
        assert.equal(
          listed.out,
          "os-default-controlplane-1.log\nos-default-worker-1.log\n",
        );
        assert.ok((await Deno.stat(bundle)).size > 10_000);
        assert.deepEqual(await api.holdings(), before);
        assert.deepEqual(await folders(), []);
      });
    });
  },
});
