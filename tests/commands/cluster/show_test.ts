import assert from "node:assert/strict";
import { lockFolder } from "../../../provisioners/background.ts";
import { type LocalCluster, writeState } from "../../../provisioners/state.ts";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

const node = {
  uuid: "42",
  nanocpus: 2_000_000_000,
  memory: 2_147_483_648,
  disksize: 6_442_450_944,
  apiport: 50_000,
};

/** A cluster with all there can be. */
function cluster(clustername: string): LocalCluster {
  return {
    provisionername: "embedded",
    clusterinfo: {
      clustername,
      network: {
        name: clustername,
        cidrs: ["127.64.0.0/24", "fd00::/64"],
        gatewayaddrs: ["127.64.0.1"],
        mtu: 1500,
      },
      nodes: [
        {
          ...node,
          id: "b",
          name: "lab-worker-1",
          type: "worker",
          ips: ["127.64.0.3", "fd00::3"],
          nanocpus: 0,
          memory: 0,
          disksize: 0,
        },
        {
          ...node,
          id: "a",
          name: "lab-controlplane-1",
          type: "controlplane",
          ips: ["127.64.0.2"],
        },
      ],
      kubernetesendpoint: "https://127.64.0.2:6443",
    },
  };
}

/** Runs a test with a state folder that holds these clusters. */
async function withState(
  names: readonly string[],
  test: (state: string) => Promise<void>,
) {
  await withFolder({}, async (state) => {
    for (const name of names) {
      await writeState({ state, name }, cluster(name));
    }
    await test(state);
  });
}

Deno.test("cluster show shows the cluster and its nodes, sorted by name", async () => {
  await withState(["lab"], async (state) => {
    const ran = await run(`cluster show --name lab --state ${state}`);
    assert.equal(
      ran.out,
      `PROVISIONER           embedded
NAME                  lab
STATE                 stopped
NETWORK NAME          lab
NETWORK CIDR          127.64.0.0/24,fd00::/64
NETWORK GATEWAY       127.64.0.1
NETWORK MTU           1500
KUBERNETES ENDPOINT   https://127.64.0.2:6443

NODES:

NAME                 TYPE           IP                   STATE     CPU    RAM      DISK
lab-controlplane-1   controlplane   127.64.0.2           stopped   2.00   2.1 GB   6.4 GB
lab-worker-1         worker         127.64.0.3,fd00::3   stopped   -      -        -
`,
    );
    assert.deepEqual([ran.err, ran.status], ["", 0]);
  });
});

Deno.test("cluster show gives programs raw units", async () => {
  await withState(["lab"], async (state) => {
    using lock = await lockFolder(`${state}/lab`);
    assert.ok(lock);
    const { out } = await run(
      `cluster show --name lab --state ${state} -o json`,
    );
    const { nodes: [worker, controlplane], network } =
      cluster("lab").clusterinfo;
    assert.deepEqual(JSON.parse(out), {
      name: "lab",
      provisioner: "embedded",
      off: [],
      running: true,
      network,
      kubernetesEndpoint: "https://127.64.0.2:6443",
      nodes: [controlplane, worker],
    });
  });
});

Deno.test("cluster show --all shows every cluster, and those that can be read before the problem", async () => {
  await withState(["lab", "prod"], async (state) => {
    await Deno.mkdir(`${state}/being-made`);
    const all = await run(`cluster show --all --state ${state}`);
    assert.deepEqual(all.out.match(/^(NAME|PROVISIONER) +\S+$|^$/gm), [
      "PROVISIONER           embedded",
      "NAME                  lab",
      "",
      "",
      "",
      "PROVISIONER           embedded",
      "NAME                  prod",
      "",
      "",
      "",
    ]);
    assert.deepEqual([all.err, all.status], ["", 0]);

    await Deno.writeTextFile(`${state}/lab/state.yaml`, "{");
    const some = await run(`cluster show --all --state ${state} -o jsonl`);
    assert.equal(JSON.parse(some.out).name, "prod");
    assert.equal(
      some.err,
      `error: Cannot read "${state}/lab/state.yaml": it is not a cluster state file
hint: Remove the cluster with: osctl cluster destroy --force --name lab
`,
    );
    assert.equal(some.status, 2);
  });
});

Deno.test("cluster show --all of no clusters shows nothing", async () => {
  await withFolder({}, async (state) => {
    const ran = await run(`cluster show --all --state ${state}/none`);
    assert.deepEqual([ran.out, ran.err, ran.status], ["", "", 0]);
  });
});

Deno.test("cluster show names a cluster that is not there", async () => {
  await withFolder({}, async (state) => {
    const { err, status } = await run(
      `cluster show --name lab --state ${state}`,
    );
    assert.equal(
      err,
      `error: Cannot find cluster "lab" in "${state}"
hint: List the clusters with: osctl cluster show --all
`,
    );
    assert.equal(status, 2);
  });
});

for (
  const line of [
    "cluster show",
    "cluster start",
    "cluster destroy --force",
    "cluster serve",
    "cluster create embedded",
  ]
) {
  Deno.test(`${line} refuses a name that leads elsewhere`, async () => {
    await withFolder({ "clusters/": "", "mine.txt": "mine" }, async (home) => {
      for (const name of ["..", ".", "../x", "/etc", ""]) {
        const { err, status } = await run(
          [
            ...line.split(" "),
            "--state",
            `${home}/clusters`,
            `--name=${name}`,
          ],
          {},
          { env: { HOME: home } },
        );
        assert.equal(
          err,
          `error: Cannot use cluster name "${name}"
hint: Use up to 63 letters, digits, dots and dashes, starting with a letter or digit
`,
        );
        assert.equal(status, 2);
      }
      assert.equal(await Deno.readTextFile(`${home}/mine.txt`), "mine");
      assert.deepEqual(
        await Array.fromAsync(Deno.readDir(home), ({ name }) => name)
          .then((names) => names.sort()),
        ["clusters", "mine.txt"],
      );
    });
  });
}

Deno.test("cluster show reads the state of VMs that talosctl has made", async () => {
  const state = `provisionername: qemu
bridgename: talos7c5a4f1e
clusterinfo:
    clustername: lab
    network:
        name: lab
        cidrs:
            - 10.5.0.0/24
        gatewayaddrs:
            - 10.5.0.1
        mtu: 1500
        nomasqueradecidrs: []
    nodes:
        - id: /home/.talos/clusters/lab/lab-controlplane-1.pid
          uuid: 3f0c6f1e-0000-4000-8000-000000000001
          name: lab-controlplane-1
          type: controlplane
          nanocpus: 2000000000
          memory: 2147483648
          disksize: 6442450944
          ips:
            - 10.5.0.2
          apiport: 36731
          tpmstatedir: ""
    extranodes: []
    kubernetesendpoint: https://10.5.0.1:6443
vmcniconfig:
    name: lab
    cniversion: 0.4.0
    disablecheck: false
    plugins: []
    bytes:
        - 123
        - 125
`;
  await withFolder({ "lab/state.yaml": state }, async (folder) => {
    const { out, err, status } = await run(
      `cluster show --name lab --state ${folder}`,
    );
    assert.equal(
      out,
      `PROVISIONER           qemu
NAME                  lab
STATE                 stopped
NETWORK NAME          lab
NETWORK CIDR          10.5.0.0/24
NETWORK GATEWAY       10.5.0.1
NETWORK MTU           1500
KUBERNETES ENDPOINT   https://10.5.0.1:6443

NODES:

NAME                 TYPE           IP         STATE     CPU    RAM      DISK
lab-controlplane-1   controlplane   10.5.0.2   stopped   2.00   2.1 GB   6.4 GB
`,
      err,
    );
    assert.equal(status, 0);
  });
});

Deno.test("cluster show fits a narrow terminal: STATE stays, what does not fit is named", async () => {
  await withState(["lab"], async (state) => {
    const { out } = await run(`cluster show --name lab --state ${state}`, {}, {
      columns: 40,
    });
    assert.equal(
      out,
      `PROVISIONER           embedded
NAME                  lab
STATE                 stopped
NETWORK NAME          lab
NETWORK CIDR
  127.64.0.0/24,fd00::/64
NETWORK GATEWAY       127.64.0.1
NETWORK MTU           1500
KUBERNETES ENDPOINT
  https://127.64.0.2:6443

NODES:

NAME                 STATE
lab-controlplane-1   stopped
lab-worker-1         stopped
Hidden columns: TYPE, 4 more; see -o json
`,
    );
  });
});
