/** A second cluster beside the first: three control planes and a worker, over TLS, created by processes that are killed. */

import assert from "node:assert/strict";
import { image, killAfter, osctl, third, type Trial } from "./_docker_trial.ts";
import { run } from "./_osctl.ts";

/** First three parts of the addresses. */
const net = `10.78.${third}`;

/** Flags of every line; an engine may have a single processor. */
const common =
  `cluster create docker --name lab --image ${image} --subnet ${net}.0/24 --cpus-controlplanes 3/4`;

/** Every flag that does not belong to the first cluster. */
function createLine(home: string): string {
  return [
    `${common} --controlplanes 3 --workers 1 --mtu 1450 --disable-ipv6`,
    "--memory-controlplanes 1GiB --cpus-workers 1/2 --memory-workers 512MiB",
    '--config-patch {"machine":{"sysctls":{"vm.swappiness":"7"}}}',
    '--config-patch-controlplanes {"machine":{"nodeLabels":{"tier":"control"}}}',
    '--config-patch-workers {"machine":{"nodeLabels":{"tier":"work"}}}',
    "--kubernetes-version 1.34.2 --registry-mirror docker.io=http://mirror.internal:5000",
    `--osconfig-destination ${home}/lab-config`,
  ].join(" ");
}

/** Message at the end of each phase; the next one has begun by then. */
const phases = [
  "checking the engine: ",
  "generating configurations: ",
  "creating network lab: ",
  "lab-controlplane-2: started",
  "lab-worker-1: started",
  "waiting for the node API: ",
  "bootstrapping etcd: ",
  "waiting for healthy nodes: ",
];

/** Phases that leave something else each: nothing but files, the network, containers, contexts. */
const destroyed = [
  "checking the engine: ",
  "generating configurations: ",
  "creating network lab: ",
  "lab-controlplane-1: started",
  "bootstrapping etcd: ",
];

/** Kills a creation in every phase, and destroys what it left. */
export async function destroyAfterKills(trial: Trial): Promise<void> {
  const before = await trial.api.holdings();
  for (const phase of destroyed) {
    await killAfter(trial, `${common} --workers 0`, phase);
    const { code, err } = await osctl(trial, "cluster destroy --name lab");
    // Right after the checks there may be nothing to destroy.
    const isNothing = phase === destroyed[0] && err.includes("Cannot find");
    assert.ok(code === 0 || isNothing, `${phase}${err}`);
    assert.deepEqual(await trial.api.holdings(), before, phase);
    assert.deepEqual(await listFolders(trial), ["os-default"], phase);
  }
}

/** Kills a creation in every phase, and repeats it until it is done. */
export async function createAfterKills(trial: Trial): Promise<void> {
  const { home, api } = trial;
  const line = createLine(home);
  const folder = `${home}/.os/clusters/lab`;
  const keys = () => Deno.readTextFile(`${folder}/configurations.json`);
  const ids = async () =>
    (await api.get("/containers/json?all=1")).map(({ Id }: { Id: string }) =>
      Id
    );
  let [firstKeys, firstIds]: [string, readonly string[]] = ["", []];
  for (const phase of phases) {
    await killAfter(
      trial,
      line,
      phase,
      phase.startsWith("lab-worker") ? leaveAlone(trial, line) : undefined,
    );
    // That they are made is said just before they are written.
    if (phase.startsWith("creating network")) firstKeys = await keys();
    if (phase.startsWith("lab-worker")) firstIds = await ids();
  }
  const other = await osctl(trial, line.replace("--mtu 1450", "--mtu 1300"));
  assert.equal(other.code, 2);
  assert.match(other.err, /lab": it was created with other options$/m);
  const late = await osctl(trial, `${line} --wait-timeout 1ms`);
  assert.equal(late.code, 4, late.err);
  const { unfinished } = JSON.parse(
    (await osctl(trial, "cluster show --name lab -o json")).out,
  );
  assert.equal(unfinished, "starting Kubernetes");

  const { code, out, err } = await osctl(trial, line);
  assert.equal(code, 0, err);
  assert.equal(
    out,
    `NAME                 TYPE           IP            CPU    RAM
lab-controlplane-1   controlplane   ${net}.2   0.75   1.1 GB
lab-controlplane-2   controlplane   ${net}.3   0.75   1.1 GB
lab-controlplane-3   controlplane   ${net}.4   0.75   1.1 GB
lab-worker-1         worker         ${net}.5   0.50   537 MB

Cluster "lab" is ready: 4 nodes; context "lab" in ${home}/lab-config
`,
  );
  // It has the keys and the containers of the first attempt.
  assert.equal(await keys(), firstKeys);
  assert.deepEqual(await ids(), firstIds);
}

/** Nothing else creates or destroys the cluster meanwhile. */
function leaveAlone(trial: Trial, line: string) {
  return async (pid: number) => {
    for (const other of [line, "cluster destroy --name lab --force"]) {
      const { code, err } = await osctl(trial, other);
      assert.match(
        err,
        new RegExp(`: process ${pid} is creating or destroying`),
      );
      assert.equal(code, 8);
    }
  };
}

async function listFolders({ home }: Trial): Promise<readonly string[]> {
  const found = await Array.fromAsync(Deno.readDir(`${home}/.os/clusters`));
  return found.map(({ name }) => name).sort();
}

/** Reads back what each flag does. */
export async function labIsAsAskedFor(trial: Trial): Promise<void> {
  const { home, api } = trial;
  const nodes = await Promise.all(
    ["controlplane-1", "controlplane-2", "controlplane-3", "worker-1"]
      .map((name) => api.get(`/containers/lab-${name}/json`)),
  );
  const bindings = nodes.map(({ HostConfig }) => HostConfig.PortBindings);
  assert.deepEqual(bindings.map((one) => Object.keys(one).sort()), [
    ["50000/tcp", "6443/tcp"],
    ["50000/tcp"],
    ["50000/tcp"],
    [],
  ]);
  const info = await osctl(
    trial,
    `config info -o json --osconfig ${home}/lab-config`,
  );
  const { context, endpoints, nodes: addresses } = JSON.parse(info.out);
  assert.equal(context, "lab");
  assert.deepEqual(
    endpoints,
    bindings.slice(0, 3).map((one) =>
      `127.0.0.1:${one["50000/tcp"][0].HostPort}`
    ),
  );
  assert.deepEqual(addresses, [2, 3, 4, 5].map((last) => `${net}.${last}`));

  const [first, , , worker] = nodes;
  assert.deepEqual(
    [first.HostConfig.NanoCpus, first.HostConfig.Memory],
    [750_000_000, 1_073_741_824],
  );
  assert.deepEqual(
    [worker.HostConfig.NanoCpus, worker.HostConfig.Memory],
    [500_000_000, 536_870_912],
  );
  assert.equal(first.Config.Env[1], "TALOSSKU=0CPU-1024RAM");
  const [control, work] = [first, worker].map(({ Config }) =>
    atob(Config.Env[2].replace("USERDATA=", ""))
  );
  for (const text of [control, work]) {
    assert.match(text ?? "", /^ {8}vm\.swappiness: "7"$/m);
    assert.match(text ?? "", /image: \S+\/kubelet:v1\.34\.2\b/);
    assert.match(text ?? "", /http:\/\/mirror\.internal:5000\b/);
  }
  assert.match(control ?? "", /^ {8}tier: control$/m);
  assert.match(work ?? "", /^ {8}tier: work$/m);

  // Bootstrapped once, and joined by all.
  const members = await osctl(
    trial,
    `etcd members -n ${net}.3 -o jsonl --osconfig ${home}/lab-config`,
  );
  const names = members.out.trim().split("\n").map((row) =>
    JSON.parse(row).hostname
  );
  assert.deepEqual(
    names.sort(),
    [1, 2, 3].map((one) => `lab-controlplane-${one}`),
  );

  // The kernel's settings in the containers; the first cluster has IPv6.
  const other = await api.get("/containers/os-default-worker-1/json");
  assert.deepEqual(await settingsIn(first.State.Pid), ["1", "1450"]);
  assert.deepEqual(await settingsIn(other.State.Pid), ["0", "1400"]);
}

async function settingsIn(pid: number): Promise<readonly string[]> {
  const script =
    "cat /proc/sys/net/ipv6/conf/all/disable_ipv6; ip -o link show eth0";
  const args = ["-t", String(pid), "-n", "sh", "-c", script];
  const { out } = await run(args, {
    path: "nsenter",
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
  });
  const [disabled = "", link = ""] = out.split("\n");
  return [disabled, / mtu (\d+) /.exec(link)?.[1] ?? ""];
}

/** Starts what was stopped, except what was switched off. */
export async function labIsStartedAgain(trial: Trial): Promise<void> {
  const shown = async () =>
    JSON.parse((await osctl(trial, "cluster show --name lab -o json")).out).off;
  const off = await osctl(
    trial,
    "cluster node power off lab-controlplane-3 --name lab",
  );
  assert.equal(off.code, 0, off.err);
  for (const node of ["controlplane-2", "worker-1"]) {
    await trial.api.send("POST", `/containers/lab-${node}/stop?t=0`);
  }
  assert.deepEqual(await shown(), [3, 4, 5].map((last) => `${net}.${last}`));
  const { code, out, err } = await osctl(trial, "cluster start --name lab");
  assert.equal(code, 0, err);
  assert.equal(
    out,
    'Cluster "lab" is running; switched off: lab-controlplane-3\n',
  );
  assert.deepEqual(await shown(), [`${net}.4`]);
  const all = await osctl(trial, "cluster show --all -o jsonl");
  const rows = all.out.trim().split("\n").map((row) => JSON.parse(row));
  assert.deepEqual(rows.map(({ name, running }) => [name, running]), [
    ["lab", true],
    ["os-default", true],
  ]);
}

/** Destroys the cluster by what talosctl knows of it, after its own folder was lost, and a node was removed. */
export async function labIsDestroyed(
  trial: Trial,
  before: unknown,
): Promise<void> {
  const { home, api, env } = trial;
  const gone = {
    ...trial,
    env: { ...env, DOCKER_HOST: `unix://${home}/none.sock` },
  };
  const gentle = await osctl(gone, "cluster destroy --name lab");
  assert.equal(gentle.code, 1);
  assert.match(gentle.err, /^error: Cannot reach the container engine at /);
  assert.deepEqual(await listFolders(trial), ["lab", "os-default"]);
  const forced = await osctl(gone, "cluster destroy --name lab --force");
  assert.match(forced.err, /^warning: Cannot reach the container engine at /);
  assert.equal(forced.code, 0);
  assert.deepEqual(await listFolders(trial), ["os-default"]);

  const again = await osctl(trial, common.replace("10.78", "10.79"));
  assert.equal(again.code, 2);
  assert.match(
    again.err,
    /the engine has a cluster "lab" that is not in the state directory/,
  );

  await Deno.mkdir(`${home}/peer/lab`, { recursive: true });
  await Deno.mkdir(`${home}/peer/other`);
  await Deno.writeTextFile(`${home}/peer/lab/state.yaml`, peerState);
  const shown = await osctl(
    trial,
    `cluster show --name lab --state ${home}/peer -o json`,
  );
  const { provisioner, network, nodes } = JSON.parse(shown.out);
  assert.deepEqual([provisioner, network.cidrs, nodes.length], [
    "docker",
    [`${net}.0/24`],
    1,
  ]);
  await api.send("DELETE", "/containers/lab-controlplane-2?force=1&v=1");
  const destroyed = await osctl(
    trial,
    `cluster destroy --name lab --state ${home}/peer`,
  );
  assert.equal(destroyed.code, 0, destroyed.err);
  assert.deepEqual(await api.holdings(), before);
  const left = await Array.fromAsync(Deno.readDir(`${home}/peer`));
  assert.deepEqual(left.map(({ name }) => name), ["other"]);
}

/** A state file as talosctl writes it. */
const peerState = `provisionername: docker
bridgename: ""
clusterinfo:
    clustername: lab
    network:
        name: lab
        cidrs:
            - ${net}.0/24
        gatewayaddrs:
            - ${net}.1
        mtu: 1450
        nomasqueradecidrs: []
    nodes:
        - id: 0f0f
          uuid: 8a2f2c1c-0000-4000-8000-000000000000
          name: /lab-controlplane-1
          type: controlplane
          nanocpus: 1500000000
          memory: 1073741824
          disksize: 0
          ips:
            - ${net}.2
          apiport: 0
          tpmstatedir: ""
    extranodes: []
    kubernetesendpoint: https://127.0.0.1:40001
vmcniconfig: null
`;
