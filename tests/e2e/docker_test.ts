import assert from "node:assert/strict";
import { engineInstalled, startEngine } from "../_docker.ts";
import { absent, run, start, withFolder } from "./_osctl.ts";

const image = "osctl-stand-in:v1.12.11";

/** What the engine has. */
interface Holdings {
  readonly containers: readonly string[];
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
}

/** Asks the engine itself. */
function engineClient(host: string) {
  const client = Deno.createHttpClient({
    proxy: { transport: "unix", path: host.replace("unix://", "") },
  });
  // deno-lint-ignore no-explicit-any
  const get = async (path: string): Promise<any> =>
    await (await fetch(`http://engine${path}`, { client })).json();
  return {
    get,
    async holdings(): Promise<Holdings> {
      const names = (all: { Name: string }[]) =>
        all.map(({ Name }) => Name).sort();
      return {
        containers: (await get("/containers/json?all=1"))
          .flatMap(({ Names }: { Names: string[] }) => Names).sort(),
        networks: names(await get("/networks")),
        volumes: names((await get("/volumes")).Volumes ?? []),
      };
    },
    [Symbol.dispose]: () => client.close(),
  };
}

/** What differs between runs: an engine that was killed leaves its bridges. */
const third = 100 + Deno.pid % 100;

/** First three parts of the addresses. */
const net = `10.77.${third}`;

Deno.test({
  name: "cluster create docker, end to end",
  ignore: absent || !engineInstalled,
  async fn(t) {
    await using engine = await startEngine();
    using api = engineClient(engine.host);
    await withFolder(async (home) => {
      const env = {
        HOME: home,
        PATH: "/usr/bin:/bin",
        XDG_CACHE_HOME: `${home}/cache`,
        DOCKER_HOST: engine.host,
        OSCTL_TEST_UNPRIVILEGED: "1",
      };
      const osctl = (line: string) => run(line.split(" "), { env });
      const folders = async () =>
        (await Array.fromAsync(Deno.readDir(`${home}/.os/clusters`)))
          .map(({ name }) => name).sort();

      await t.step("the image of stand-in nodes is imported", async () => {
        const made = await osctl(`cluster image --image ${image}`);
        assert.equal(made.out, `Image ${image} is imported\n`, made.err);
      });
      const before = await api.holdings();

      await t.step("a cluster is created, and is healthy", async () => {
        const { code, out, err } = await osctl(
          `cluster create docker --image ${image} --workers 1 --memory-workers 1GiB --cpus-workers 0.5 --subnet ${net}.0/24 --mtu 1400 --exposed-ports 127.0.0.1:18080:80/tcp --mount type=tmpfs,target=/scratch`,
        );
        assert.equal(code, 0, err);
        assert.equal(
          out,
          `NAME                        TYPE           IP            CPU    RAM      DISK
os-default-controlplane-1   controlplane   ${net}.2   2.00   2.1 GB   -
os-default-worker-1         worker         ${net}.3   0.50   1.1 GB   -

Cluster "os-default" is ready: 2 nodes; context "os-default" in ${home}/.os/config
`,
        );
        const said = err.replaceAll(
          /^(warning|waiting for .*, \d+s|.*, \d+s$).*\n/gm,
          "",
        )
          .replaceAll(/\d+\.\d s$/gm, "N s");
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
        assert.equal(network.IPAM.Config[0].Subnet, `${net}.0/24`);
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
          "6443/tcp",
          "80/tcp",
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
            `cluster create docker --image 127.0.0.1:9/os:v1.12.0 --name two --subnet ${net}.0/24 --memory-workers 900GiB --exposed-ports 127.0.0.1:18080:80/tcp`,
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
        "creating is killed in every phase: a second create goes on, or destroy cleans up",
        async () => {
          const line =
            `cluster create docker --image ${image} --name lab --workers 0 --subnet 10.78.${third}.0/24`;
          const seen: string[] = [];
          for (const phase of phases) {
            const child = start(line.split(" "), { env });
            await untilSaid(child, phase);
            child.kill("SIGKILL");
            await child.stdout.cancel();
            await child.status;
            // What destroys also continues, and that takes longer.
            if (continued.includes(phase)) {
              const ended = await osctl(line);
              assert.equal(ended.code, 0, `${phase}: ${ended.err}`);
            }
            const gone = await osctl("cluster destroy --name lab");
            assert.equal(gone.code, 0, `${phase}: ${gone.err}`);
            assert.deepEqual(await folders(), ["os-default"]);
            seen.push(phase);
          }
        },
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

/** Phases after which a second create goes on. */
const continued = ["checking the engine", "lab-controlplane-1: started"];

/** What is said at the end of each phase; the next one has begun. */
const phases = [
  "checking the engine",
  "generating configurations",
  "creating network lab",
  "lab-controlplane-1: started",
  "waiting for the node API",
  "waiting for healthy nodes",
];

async function untilSaid(
  child: Deno.ChildProcess,
  text: string,
): Promise<void> {
  let said = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stderr) {
    said += decoder.decode(bytes, { stream: true });
    if (said.includes(text)) return;
  }
  throw new Error(`It ended before "${text}": ${said}`);
}
