import assert from "node:assert/strict";
import {
  type DocumentSettings,
  settingDocuments,
  systemDevices,
} from "../../../provisioners/qemu/documents.ts";
import { planCluster } from "../../../provisioners/qemu/plan.ts";
import { planned, spec } from "./_spec.ts";

const plan = await planCluster({ ...planned, workers: 1 });

const usual: DocumentSettings = { ...spec.documents, plan };

const apiVersion = "v1alpha1";
const network = [
  {
    apiVersion,
    kind: "LinkAliasConfig",
    name: "net0",
    selector: { match: 'link.driver == "virtio_net"' },
  },
  { apiVersion, kind: "DHCPv4Config", name: "net0" },
];

/** A setting, and what it adds for all nodes. */
const changes:
  readonly (readonly [string, Partial<DocumentSettings>, unknown[]])[] = [
    ["nothing more", {}, []],
    ["the logs of services on the console", { isDebug: true }, [{
      debug: true,
    }]],
    ["another port of the API servers", { controlPlanePort: 7443 }, [
      { cluster: { controlPlane: { localAPIServerPort: 7443 } } },
    ]],
    ["no KubePrism", { kubeprismPort: 0 }, [
      { machine: { features: { kubePrism: { $patch: "delete" } } } },
    ]],
    ["another port of KubePrism", { kubeprismPort: 7446 }, [
      { machine: { features: { kubePrism: { enabled: true, port: 7446 } } } },
    ]],
    ["another container network", {
      customCniUrl: "https://example.org/cni.yaml",
    }, [
      {
        cluster: {
          network: {
            cni: { name: "custom", urls: ["https://example.org/cni.yaml"] },
          },
        },
      },
    ]],
    ["no other kernels", { isKexecOff: true }, [
      { machine: { sysctls: { "kernel.kexec_load_disabled": "1" } } },
    ]],
    ["logs sent to the bridge", { hasJsonLogs: true }, [
      {
        machine: {
          logging: {
            destinations: [{
              endpoint: "tcp://10.5.0.1:4003",
              format: "json_lines",
            }],
          },
        },
      },
    ]],
    ["a registry that is not verified", {
      insecureRegistries: ["registry.example.org"],
    }, [
      {
        apiVersion,
        kind: "RegistryTLSConfig",
        name: "registry.example.org",
        insecureSkipVerify: true,
      },
    ]],
    ["encrypted partitions", {
      encrypted: ["STATE", "EPHEMERAL"],
      keys: ["uuid", "kms"],
    }, [
      {
        apiVersion,
        kind: "VolumeConfig",
        name: "STATE",
        encryption: {
          provider: "luks2",
          keys: [
            { slot: 0, nodeID: {} },
            { slot: 1, kms: { endpoint: "grpc://10.5.0.1:4050" } },
          ],
        },
      },
      {
        apiVersion,
        kind: "VolumeConfig",
        name: "EPHEMERAL",
        encryption: {
          provider: "luks2",
          keys: [
            { slot: 0, nodeID: {}, lockToState: true },
            {
              slot: 1,
              kms: { endpoint: "grpc://10.5.0.1:4050" },
              lockToState: true,
            },
          ],
        },
      },
    ]],
    ["encrypted user volumes", {
      encrypted: ["user"],
      keys: ["tpm"],
      userVolumes: [[{ name: "a", size: "1GB" }], [{ name: "b", size: "2GB" }]],
    }, [
      {
        apiVersion,
        kind: "UserVolumeConfig",
        name: "a",
        provisioning: {
          diskSelector: {
            match:
              "'/dev/disk/by-id/ata-QEMU_HARDDISK_QM00001' in disk.symlinks",
          },
          minSize: "1GB",
          maxSize: "1GB",
        },
        encryption: {
          provider: "luks2",
          keys: [{ slot: 0, tpm: { checkSecurebootStatusOnEnroll: true } }],
        },
      },
      {
        apiVersion,
        kind: "UserVolumeConfig",
        name: "b",
        provisioning: {
          diskSelector: {
            match:
              "'/dev/disk/by-id/ata-QEMU_HARDDISK_QM00003' in disk.symlinks",
          },
          minSize: "2GB",
          maxSize: "2GB",
        },
        encryption: {
          provider: "luks2",
          keys: [{ slot: 0, tpm: { checkSecurebootStatusOnEnroll: true } }],
        },
      },
    ]],
  ];

for (const [name, change, expected] of changes) {
  Deno.test(`settingDocuments for ${name}`, () => {
    const { all } = settingDocuments({ ...usual, ...change });
    assert.deepEqual(all, [...network, ...expected]);
  });
}

Deno.test("settingDocuments for versions that have everything in the main document", () => {
  const { all, controlplane } = settingDocuments({
    ...usual,
    minor: 10,
    usesVip: true,
    encrypted: ["STATE"],
    insecureRegistries: ["r.example.org"],
  });
  assert.deepEqual(all, [
    {
      machine: {
        network: {
          interfaces: [{
            deviceSelector: { driver: "virtio_net" },
            dhcp: true,
            dhcpOptions: { ipv4: true, ipv6: false },
          }],
        },
        install: {
          extraKernelArgs: [
            "console=ttyS0",
            "reboot=k",
            "panic=1",
            "talos.shutdown=halt",
            "talos.platform=metal",
          ],
        },
      },
    },
    {
      machine: {
        registries: {
          config: { "r.example.org": { tls: { insecureSkipVerify: true } } },
        },
      },
    },
    {
      machine: {
        systemDiskEncryption: {
          state: { provider: "luks2", keys: [{ slot: 0, nodeID: {} }] },
        },
      },
    },
  ]);
  assert.deepEqual(controlplane, [{
    machine: {
      network: {
        interfaces: [{
          deviceSelector: { driver: "virtio_net" },
          vip: { ip: "10.5.0.50" },
        }],
      },
    },
  }]);
});

Deno.test("settingDocuments for a virtual IP and a firewall differ by role", () => {
  const { controlplane, worker } = settingDocuments({
    ...usual,
    usesVip: true,
    firewall: "block",
  });
  const rule = (
    name: string,
    ports: unknown[],
    ingress: unknown[],
    protocol = "tcp",
  ) => ({
    apiVersion,
    kind: "NetworkRuleConfig",
    name,
    portSelector: { ports, protocol },
    ingress,
  });
  const action = {
    apiVersion,
    kind: "NetworkDefaultActionConfig",
    ingress: "block",
  };
  const inside = [{ subnet: "10.5.0.0/24", except: "10.5.0.1/32" }];
  const anywhere = [{ subnet: "0.0.0.0/0" }, { subnet: "::/0" }];
  assert.deepEqual(controlplane, [
    { apiVersion, kind: "Layer2VIPConfig", name: "10.5.0.50", link: "net0" },
    action,
    rule("kubelet-ingress", [10250], inside),
    rule("apid-ingress", [50000], anywhere),
    rule("trustd-ingress", [50001], inside),
    rule("kubernetes-api-ingress", [6443], anywhere),
    rule("etcd-ingress", ["2379-2380"], [{ subnet: "10.5.0.2/32" }]),
    rule("cni-vxlan", [4789, 8472], inside, "udp"),
  ]);
  assert.deepEqual(worker, [
    action,
    rule("kubelet-ingress", [10250], inside),
    rule("apid-ingress", [50000], inside),
    rule("cni-vxlan", [4789, 8472], inside, "udp"),
  ]);
});

Deno.test("settingDocuments for WireGuard connect each node with the others", () => {
  const { node } = settingDocuments({ ...usual, wireguardCidr: "10.6.0.0/24" });
  const one = node.get("lab-controlplane-1")?.[0] as Record<string, unknown>;
  const other = node.get("lab-worker-1")?.[0] as Record<string, unknown>;
  assert.deepEqual([one.listenPort, one.addresses], [51111, [{
    address: "10.6.0.2/24",
  }]]);
  assert.deepEqual([other.listenPort, other.addresses], [undefined, [{
    address: "10.6.0.3/24",
  }]]);
  const [peer] = other.peers as Record<string, unknown>[];
  assert.deepEqual(
    [peer?.endpoint, peer?.allowedIPs, peer?.persistentKeepaliveInterval],
    ["10.5.0.2:51111", ["10.6.0.2/32"], "5s"],
  );
  for (const key of [one.privateKey, peer?.publicKey]) {
    assert.match(String(key), /^[A-Za-z0-9+/]{43}=$/);
  }
});

Deno.test("settingDocuments refuses what a version lacks", () => {
  assert.throws(
    () =>
      settingDocuments({ ...usual, minor: 11, wireguardCidr: "10.6.0.0/24" }),
    { message: "Cannot use --wireguard-cidr: v1.11 has no WireguardConfig" },
  );
  assert.throws(
    () =>
      settingDocuments({
        ...usual,
        minor: 9,
        userVolumes: [[{ name: "a", size: "1GB" }]],
      }),
    { message: "Cannot use --user-volumes: v1.9 has no user volumes" },
  );
});

Deno.test("systemDevices names the first disk of each driver", () => {
  assert.deepEqual(systemDevices, {
    virtio: "/dev/vda",
    ide: "/dev/sda",
    ahci: "/dev/sda",
    scsi: "/dev/sda",
    megaraid: "/dev/sda",
    nvme: "/dev/nvme0n1",
  });
});
