import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { openEngine } from "../../../provisioners/docker/engine.ts";
import {
  preflight,
  type PreflightRequest,
} from "../../../provisioners/docker/preflight.ts";
import type { ContainerSpec } from "../../../provisioners/docker/spec.ts";
import { addressAt } from "../../../lib/ip.ts";
import { type EngineAnswers, usualEngine, withEngine } from "./_fake_engine.ts";

const unwatched = { sanitizeOps: false, sanitizeResources: false };

/** An engine in which nothing is in the way. */
const ready: EngineAnswers = {
  ...usualEngine,
  "GET /networks": [],
  "GET /containers/json": [],
  "GET /images/os:v1/json": {},
};

/** One control plane and workers in a subnet. */
function makeSpec(
  subnet: string,
  workers: number,
  more: Partial<ContainerSpec> = {},
): ContainerSpec {
  const node = (type: "controlplane" | "worker", number: number) => ({
    name: `lab-${type}-${number}`,
    type,
    ip: addressAt(subnet, 1 + number),
    nanocpus: 2e9,
    memory: 2 ** 30,
  });
  return {
    image: "os:v1",
    subnet,
    mtu: 1500,
    ipv6: true,
    ports: [],
    mounts: [],
    privileged: true,
    nodes: [
      node("controlplane", 1),
      ...Array.from({ length: workers }, (_, at) => node("worker", at + 2)),
    ],
    ...more,
  };
}

const spec = makeSpec("10.5.0.0/24", 1);

/** Route of the host to 10.5.0.0/16. */
const route = `Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask
eth0\t0000050A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0
`;

/** Files of a host with everything, and no routes. */
const host: Readonly<Record<string, string>> = {
  "/proc/sys/net/bridge/bridge-nf-call-iptables": "1",
};

/** Checks a cluster; gives each finding as `severity: text → remedy`. */
async function check(
  answers: EngineAnswers,
  more: Partial<PreflightRequest> = {},
  files = host,
): Promise<readonly string[]> {
  let lines: readonly string[] = [];
  await withEngine({ ...ready, ...answers }, async (env) => {
    const engine = await openEngine(env);
    const login = () => Promise.resolve(undefined);
    const request = { name: "lab", spec, isBegun: false, login, ...more };
    const findings = await preflight(
      engine,
      request,
      (path) => Promise.resolve(files[path]),
    );
    lines = findings.map(({ severity, text, remedy }) =>
      `${severity}: ${text} → ${remedy}`
    );
  });
  return lines;
}

/** The engine with something else in what it says of itself. */
function engineWith(info: Readonly<Record<string, unknown>>): EngineAnswers {
  return { "GET /info": { ...usualEngine["GET /info"], ...info } };
}

/** A network of the engine. */
function network(Name: string, Subnet: string, Labels = {}) {
  return { Name, Labels, IPAM: { Config: [{ Subnet }] } };
}

Deno.test(
  "the engine is checked: its containers, cgroups, rights, memory and processors",
  unwatched,
  async () => {
    assert.deepEqual(await check({}), []);
    const weak = engineWith({
      OSType: "windows",
      CgroupVersion: "1",
      SecurityOptions: ["name=seccomp", "name=rootless"],
      MemoryLimit: false,
      NCPU: 1,
      MemTotal: 2 ** 30,
    });
    assert.deepEqual(await check(weak), [
      "error: the engine runs windows containers → Switch the engine to Linux containers",
      "warning: the engine uses cgroup v1, with which current nodes do not start → Boot its machine with systemd.unified_cgroup_hierarchy=1",
      "warning: the engine is rootless, and nodes do not start in it on some hosts → If nodes do not start, set DOCKER_HOST to a rootful engine",
      "warning: the engine cannot limit memory and CPUs of nodes → Delegate the cgroup controllers to its user, or set DOCKER_HOST to a rootful engine",
      "error: the nodes need 2048 MiB of memory, but the engine's machine has 1024 MiB → Lower --memory-controlplanes, --memory-workers or --workers",
      "error: a node needs 2 CPUs, but the engine's machine has 1 → Lower --cpus-controlplanes or --cpus-workers",
    ]);
  },
);

Deno.test(
  "Podman without root says in its own words what it cannot do",
  unwatched,
  async () => {
    const podman = (more: Readonly<Record<string, unknown>>) => ({
      "GET /version": {
        ...usualEngine["GET /version"],
        Components: [{ Name: "Podman Engine" }],
      },
      // Answers both of its APIs.
      ...engineWith({
        host: {
          security: { rootless: true },
          cgroupControllers: ["cpu", "memory", "pids"],
          ...more,
        },
      }),
    });
    const rootless =
      "warning: the engine is rootless, and nodes do not start in it on some hosts → If nodes do not start, set DOCKER_HOST to a rootful engine";
    const none = { executable: "" };
    const pasta = { executable: "/usr/bin/pasta" };
    const bare = podman({ slirp4netns: none, cgroupControllers: [] });
    assert.deepEqual(await check(bare), [
      rootless,
      "error: rootless Podman cannot connect nodes to a network → Install slirp4netns or passt where it runs, or set DOCKER_HOST to a rootful engine",
      "warning: the engine cannot limit memory and CPUs of nodes → Delegate the cgroup controllers to its user, or set DOCKER_HOST to a rootful engine",
    ]);
    const newer = podman({ slirp4netns: none, pasta });
    assert.deepEqual(await check(newer), [rootless]);
    // Unreported capabilities count as present.
    assert.deepEqual(await check(podman({})), [rootless]);
    // With root, none of the two is used.
    const rootful = podman({
      slirp4netns: none,
      security: { rootless: false },
    });
    assert.deepEqual(await check(rootful), []);
  },
);

Deno.test(
  "a subnet may overlap no route, network or cluster, and a free one is proposed",
  unwatched,
  async () => {
    const owned = { "talos.owned": "true", "talos.cluster.name": "two" };
    const networks = {
      "GET /networks": [
        network("two", "10.5.0.128/25", owned),
        network("build", "10.6.0.0/16"),
      ],
    };
    const routed = { ...host, "/proc/net/route": route };
    const own = {
      "GET /networks": [network("lab", "10.5.0.0/24", {
        "talos.owned": "true",
        "talos.cluster.name": "lab",
      })],
    };
    const cases = [
      [
        check(networks),
        ['subnet 10.5.0.0/24 overlaps 10.5.0.128/25, cluster "two" → Use a free one: --subnet 10.5.1.0/24'],
      ],
      [
        check(networks, { spec: makeSpec("10.6.9.0/24", 1) }),
        ['subnet 10.6.9.0/24 overlaps 10.6.0.0/16, network "build" of the engine → Use a free one: --subnet 10.5.1.0/24'],
      ],
      [
        check({}, {}, routed),
        ["subnet 10.5.0.0/24 overlaps 10.5.0.0/16, a route of this host through eth0 → Use a free one: --subnet 10.6.0.0/24"],
      ],
      // The bridge of its own network is a route, too.
      [check(own, { isBegun: true }, routed), []],
      [
        check({}, { spec: makeSpec("10.5.0.0/30", 1) }),
        ["subnet 10.5.0.0/30 is too small for 2 nodes → Give a larger one with --subnet"],
      ],
      [check({}, { spec: makeSpec("10.5.0.0/29", 4) }), []],
      // Addresses are counted from the one that was typed.
      [
        check({}, { spec: makeSpec("10.5.0.250/24", 3) }),
        ["subnet 10.5.0.250/24 is too small for 4 nodes → Give a larger one with --subnet"],
      ],
      [
        check({}, { spec: makeSpec("fd00::/64", 1) }),
        ['subnet "fd00::/64" is not an IPv4 network → Give one such as --subnet 10.5.0.0/24'],
      ],
    ] as const;
    for (const [found, expected] of cases) {
      assert.deepEqual(await found, expected.map((text) => `error: ${text}`));
    }
  },
);

Deno.test(
  "ports must be free, of this host, and of one control plane",
  unwatched,
  async () => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const udp = createSocket("udp4").bind(0, "127.0.0.1");
    await once(udp, "listening");
    const [tcpPort, udpPort] = [taken.addr.port, udp.address().port];
    const port = (
      hostIp: string,
      hostPort: number,
      protocol: "tcp" | "udp",
    ) => ({ hostIp, hostPort, containerPort: 80, protocol });
    const ports = [
      port("127.0.0.1", tcpPort, "tcp"),
      port("127.0.0.1", udpPort, "udp"),
      port("192.0.2.7", 8080, "tcp"),
    ];
    assert.deepEqual(await check({}, { spec: { ...spec, ports } }), [
      `error: port ${tcpPort}/tcp of 127.0.0.1 is in use → Choose another one with --exposed-ports`,
      `error: port ${udpPort}/udp of 127.0.0.1 is in use → Choose another one with --exposed-ports`,
      "error: port 8080/tcp of 192.0.2.7 cannot be used: this host does not have the address → Choose another one with --exposed-ports",
    ]);
    udp.close();
    // The interrupted creation listens there itself.
    const begun = { spec: { ...spec, ports }, isBegun: true };
    assert.deepEqual(await check({}, begun), []);
    const [first, second] = spec.nodes;
    const both = [first!, { ...second!, type: "controlplane" as const }];
    const shared = { ...begun, spec: { ...spec, ports, nodes: both } };
    assert.deepEqual(await check({}, shared), [
      "error: several control planes cannot share the exposed ports → Omit --exposed-ports, or create one control plane",
    ]);
  },
);

Deno.test(
  "image, names and kernel modules are checked, and all problems reported at once",
  unwatched,
  async () => {
    const mine = { "talos.owned": "true", "talos.cluster.name": "lab" };
    const answers = {
      "GET /images/os:v1/json": 404,
      "GET /containers/json": [
        { Id: "a", Names: ["/lab-worker-2", "/other"] },
        { Id: "b", Names: ["/lab-worker-3"] },
      ],
      "GET /containers/json filtered": [],
      "GET /networks": [network("lab", "10.9.0.0/24")],
    };
    assert.deepEqual(await check(answers, {}, {}), [
      "error: image os:v1 is not available locally and cannot be pulled: no GET /distribution/os:v1/json → Check --image and whether the engine can reach the registry, or load the image with: docker load",
      "error: there is a container named lab-worker-2 → Choose another --name, or remove the container",
      "error: there is a network named lab → Choose another --name, or remove the network",
      "warning: kernel module br_netfilter is not loaded, and Kubernetes services may not be reached from pods → Load it with: sudo modprobe br_netfilter",
    ]);
    const left = { "GET /networks": [network("lab", "10.9.0.0/24", mine)] };
    assert.deepEqual(await check(left), [
      'error: the engine has a cluster "lab" that is not in the state directory → Choose another --name, or remove it with: osctl cluster destroy --provisioner docker --name lab',
    ]);
    assert.deepEqual(await check(left, { isBegun: true }), []);
    // Images of the registry can be pulled.
    const pullable = {
      "GET /images/os:v1/json": 404,
      "GET /distribution/os:v1/json": {},
    };
    assert.deepEqual(await check(pullable), []);
  },
);

Deno.test(
  "a rootless engine has a network of its own, and no ports of root's",
  unwatched,
  async () => {
    const rootless = engineWith({ SecurityOptions: ["name=rootless"] });
    const port = (hostPort: number) => ({
      hostIp: "127.0.0.1",
      hostPort,
      containerPort: 80,
      protocol: "udp" as const,
    });
    const wanted = makeSpec("10.0.2.0/25", 1, {
      privileged: false,
      ports: [port(67)],
    });
    const files = {
      ...host,
      "/proc/sys/net/ipv4/ip_unprivileged_port_start": "1024\n",
    };
    assert.deepEqual(await check(rootless, { spec: wanted }, files), [
      "error: subnet 10.0.2.0/25 overlaps 10.0.2.0/24, which connects rootless engines to this host → Use a free one: --subnet 10.5.0.0/24",
      "error: port 67/udp of 127.0.0.1 cannot be used: rootless engines have ports from 1024 → Choose another one with --exposed-ports",
    ]);
    assert.deepEqual(
      await check({}, { spec: wanted }, files),
      [],
    );
    const lower = {
      ...host,
      "/proc/sys/net/ipv4/ip_unprivileged_port_start": "53\n",
    };
    const allowed = { spec: { ...wanted, subnet: "10.5.0.0/24" } };
    assert.deepEqual(await check(rootless, allowed, lower), []);
  },
);
