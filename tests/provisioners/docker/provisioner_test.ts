import assert from "node:assert/strict";
import { lockCluster } from "../../../provisioners/cluster_lock.ts";
import { docker, plainLog } from "../../../provisioners/docker/provisioner.ts";
import { withFolder } from "../../_folder.ts";
import { usualEngine, withEngine } from "./_fake_engine.ts";

const unwatched = { sanitizeOps: false, sanitizeResources: false };
const progress = {
  phase: <T>(_: string, work: (say: () => void) => Promise<T>) =>
    work(() => {}),
  node() {},
  warn() {},
};
const { signal } = new AbortController();
const bringUp = () => Promise.reject(new Error("It is another's"));

Deno.test("the log of a container is read without its frames", () => {
  const frame = (stream: number, text: string) => [
    ...[stream, 0, 0, 0, 0, 0, 0, text.length],
    ...new TextEncoder().encode(text),
  ];
  const log = new Uint8Array([...frame(1, "one\n"), ...frame(2, "two\n")]);
  assert.equal(new TextDecoder().decode(plainLog(log)), "one\ntwo\n");
});

/** Objects of a cluster that talosctl made; the state directory is talosctl's, too. */
const made = {
  ...usualEngine,
  "GET /networks": [{
    Id: "n1",
    Name: "lab",
    Labels: { "talos.owned": "true", "talos.cluster.name": "lab" },
    IPAM: { Config: [{ Subnet: "10.5.0.0/24", Gateway: "10.5.0.1" }] },
    Options: { mtu: "1400" },
  }],
  "GET /containers/json": [{ Id: "c1", Names: ["/lab-controlplane-1"] }],
  "GET /containers/c1/json": {
    Name: "/lab-controlplane-1",
    Config: { Labels: { "talos.type": "controlplane" } },
    HostConfig: {
      NanoCpus: 2_000_000_000,
      Memory: 2_147_483_648,
      PortBindings: {
        "50000/tcp": [{ HostPort: "40000" }],
        "6443/tcp": [{ HostPort: "40001" }],
      },
    },
    NetworkSettings: { Networks: { lab: { IPAddress: "10.5.0.2" } } },
    State: { Running: true },
  },
  "DELETE /containers/c1": "",
  "DELETE /networks/n1": "",
};

Deno.test("a cluster is shown without a state file", unwatched, async () => {
  await withFolder({}, async (state) => {
    await withEngine(made, async (env) => {
      const shown = await docker(env).show({ state, name: "lab" });
      assert.deepEqual(shown, {
        cluster: {
          provisionername: "docker",
          clusterinfo: {
            clustername: "lab",
            network: {
              name: "lab",
              cidrs: ["10.5.0.0/24"],
              gatewayaddrs: ["10.5.0.1"],
              mtu: 1400,
            },
            nodes: [{
              id: "c1",
              uuid: "00000000-0000-0000-0000-000000000000",
              name: "lab-controlplane-1",
              type: "controlplane",
              nanocpus: 2_000_000_000,
              memory: 2_147_483_648,
              disksize: 0,
              ips: ["10.5.0.2"],
              apiport: 40_000,
            }],
            kubernetesendpoint: "https://127.0.0.1:40001",
          },
        },
        running: true,
        off: [],
      });
    });
  });
});

Deno.test(
  "destroy removes what has the labels, and this cluster's state only",
  unwatched,
  async () => {
    const files = { "lab/state.yaml": "{}", "other/state.yaml": "{}" };
    await withFolder(files, async (state) => {
      await withEngine(made, async (env, asked) => {
        const place = { state, name: "lab" };
        await docker(env).destroy(place, { signal, progress });
        assert.deepEqual(asked.filter((one) => one.startsWith("DELETE")), [
          "DELETE /containers/c1",
          "DELETE /networks/n1",
        ]);
        const left = await Array.fromAsync(Deno.readDir(state));
        assert.deepEqual(left.map(({ name }) => name), ["other"]);
      });
    });
  },
);

const labContainers = {
  image: "os:v1",
  subnet: "10.250.0.0/24",
  mtu: 1500,
  ipv6: true,
  ports: [],
  mounts: [],
  privileged: true,
  nodes: [{
    name: "lab-controlplane-1",
    type: "controlplane" as const,
    ip: "10.250.0.2",
    nanocpus: 1e9,
    memory: 2 ** 30,
  }],
};

Deno.test(
  "a cluster that was created is named, before its own subnet is found in the way",
  unwatched,
  async () => {
    const state = `provisionername: docker
clusterinfo: {clustername: lab, nodes: []}
`;
    await withFolder({ "lab/state.yaml": state }, async (state) => {
      await withEngine(usualEngine, async (env, asked) => {
        const creating = docker(env).create({ state, name: "lab" }, {
          containers: labContainers,
          wishes: [],
          login: () => Promise.resolve(undefined),
          configure: () => Promise.reject(new Error("It is there")),
        }, { osconfig: "", waitMs: 1, signal, progress, bringUp });
        await assert.rejects(creating, {
          message:
            'Cannot create cluster "lab": it already exists, created with docker',
          status: 2,
        });
        assert.deepEqual(asked.filter((one) => !one.startsWith("GET")), []);
      });
    });
  },
);

Deno.test(
  "a cluster that another process is creating is left to it",
  unwatched,
  async () => {
    const nothing = {
      ...usualEngine,
      "GET /networks": [],
      "GET /containers/json": [],
      "GET /images/os:v1/json": {},
    };
    await withFolder({ "lab/": "" }, async (state) => {
      await withEngine(nothing, async (env, asked) => {
        const place = { state, name: "lab" };
        using _lock = await lockCluster(place, "create");
        const creating = docker(env).create(place, {
          containers: labContainers,
          wishes: [],
          login: () => Promise.resolve(undefined),
          configure: () => Promise.reject(new Error("It is another's")),
        }, { osconfig: "", waitMs: 1, signal, progress, bringUp });
        await assert.rejects(creating, {
          message:
            `Cannot create cluster "lab": process ${Deno.pid} is creating or destroying it`,
          status: 8,
        });
        assert.deepEqual(asked.filter((one) => !one.startsWith("GET")), []);
      });
    });
  },
);
