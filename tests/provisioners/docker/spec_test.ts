import assert from "node:assert/strict";
import {
  containerSettings,
  type ContainerSpec,
  labelFilters,
  networkSettings,
} from "../../../provisioners/docker/spec.ts";

const node = { nanocpus: 2_000_000_000, memory: 2_147_483_648 };
const spec: ContainerSpec = {
  image: "os:v1.12.0",
  subnet: "10.5.0.0/24",
  mtu: 1500,
  ipv6: true,
  ports: [
    { hostIp: "0.0.0.0", hostPort: 8080, containerPort: 80, protocol: "tcp" },
  ],
  mounts: [{ Type: "bind", Source: "/a", Target: "/b" }],
  privileged: true,
  nodes: [
    {
      ...node,
      name: "lab-controlplane-1",
      type: "controlplane",
      ip: "10.5.0.2",
    },
    { ...node, name: "lab-worker-1", type: "worker", ip: "10.5.0.3" },
  ],
};
const parts = {
  spec,
  ports: { host: "127.0.0.1", api: [40_000, 40_002], kubernetes: 40_001 },
  configuration: "version: v1alpha1\n",
};

Deno.test("a network has the labels of its cluster", () => {
  assert.deepEqual(networkSettings("lab", spec), {
    Name: "lab",
    CheckDuplicate: true,
    Labels: { "talos.owned": "true", "talos.cluster.name": "lab" },
    IPAM: {
      Driver: "default",
      Config: [{ Subnet: "10.5.0.0/24", Gateway: "10.5.0.1" }],
    },
    Options: { "com.docker.network.driver.mtu": "1500" },
  });
  assert.deepEqual(labelFilters("lab"), {
    label: ["talos.owned=true", "talos.cluster.name=lab"],
  });
});

Deno.test("the first control plane has every setting of a node, and its ports on the host", () => {
  const [first] = spec.nodes;
  const own = Deno.build.os === "linux" ? "127.0.0.1" : "";
  const memory = (Target: string) => ({ Type: "tmpfs", Target, Source: "" });
  const volume = (Target: string) => ({ Type: "volume", Target, Source: "" });
  assert.deepEqual(containerSettings("lab", first!, parts), {
    name: "lab-controlplane-1",
    Hostname: "lab-controlplane-1",
    Image: "os:v1.12.0",
    Env: [
      "PLATFORM=container",
      "TALOSSKU=2CPU-2048RAM",
      "USERDATA=dmVyc2lvbjogdjFhbHBoYTEK",
    ],
    Labels: {
      "talos.owned": "true",
      "talos.cluster.name": "lab",
      "talos.type": "controlplane",
    },
    ExposedPorts: { "50000/tcp": {}, "6443/tcp": {}, "80/tcp": {} },
    HostConfig: {
      Privileged: true,
      SecurityOpt: ["seccomp:unconfined"],
      ReadonlyRootfs: true,
      NanoCpus: 2_000_000_000,
      Memory: 2_147_483_648,
      Sysctls: { "net.ipv6.conf.all.disable_ipv6": "0" },
      Mounts: [
        ...["/run", "/system", "/tmp"].map(memory),
        ...[
          "/var",
          "/system/state",
          "/etc/cni",
          "/etc/kubernetes",
          "/usr/libexec/kubernetes",
          "/opt",
        ].map(volume),
        { Type: "bind", Source: "/a", Target: "/b" },
      ],
      PortBindings: {
        "50000/tcp": [{ HostIp: own, HostPort: "40000" }],
        "6443/tcp": [{ HostIp: own, HostPort: "40001" }],
        "80/tcp": [{ HostIp: "0.0.0.0", HostPort: "8080" }],
      },
    },
    NetworkingConfig: {
      EndpointsConfig: { lab: { IPAMConfig: { IPv4Address: "10.5.0.2" } } },
    },
  });
});

Deno.test("every control plane has the port of the node API, at all addresses if the engine is on another machine", () => {
  const nodes = spec.nodes.map((one) => ({
    ...one,
    type: "controlplane" as const,
  }));
  const ports = { ...parts.ports, host: "10.0.0.9" };
  const far = { ...parts, ports, spec: { ...spec, ports: [], nodes } };
  const bindings = nodes.map((one) =>
    containerSettings("lab", one, far).HostConfig?.PortBindings
  );
  assert.deepEqual(bindings, [
    {
      "50000/tcp": [{ HostIp: "", HostPort: "40000" }],
      "6443/tcp": [{ HostIp: "", HostPort: "40001" }],
    },
    { "50000/tcp": [{ HostIp: "", HostPort: "40002" }] },
  ]);
});

Deno.test("a worker has no ports on the host, and without IPv6 no such setting", () => {
  const { ExposedPorts, HostConfig } = containerSettings(
    "lab",
    spec.nodes[1]!,
    { ...parts, spec: { ...spec, ipv6: false } },
  );
  assert.deepEqual(
    [ExposedPorts, HostConfig?.PortBindings, HostConfig?.Sysctls],
    [{}, {}, undefined],
  );
});
