import { runtimeName } from "../../talos.ts";
import { persistentConfig } from "../state/machine_config.ts";
import { measureLoad } from "../node/activity.ts";
import { measureMemory } from "../node/memory.ts";
import { blockDeviceLinks, cgroupEntries } from "./cgroups.ts";
import { mountTable } from "../node/mounts.ts";
import type { SimulatedNode } from "../state/node.ts";
import { type NodeSettings, readSettings } from "../state/node_settings.ts";
import { runningRelease } from "../release/release.ts";
import { kernelParameterFiles } from "../node/contents/settings.ts";
import { kernelCommandLine } from "../node/contents/system.ts";
import {
  device,
  type Directory,
  directory,
  type FileEntry,
  kernelText,
  link,
  type RegularFile,
  text,
  writeOnly,
} from "../state/file_entry.ts";

const vendor = "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";

/** Directory of EFI variables; empty without a boot loader or with GRUB. */
export const loaderVariables: Directory<SimulatedNode> = directory({
  [`LoaderEntryDefault-${vendor}`]: variable((
    { disk: { bootEntries } },
  ) => bootEntries?.chosen),
  [`LoaderEntrySelected-${vendor}`]: variable((
    { disk: { bootEntries } },
  ) => bootEntries?.running.name),
});

/** Encodes a variable: four bytes of attributes, then null-terminated UTF-16. */
function variable(
  readText: (node: SimulatedNode) => string | undefined,
): RegularFile<SimulatedNode> {
  const readBytes = (node: SimulatedNode) => {
    const text = node.disk.bootLoader === "grub" ? undefined : readText(node);
    if (text === undefined) return new Uint8Array();
    const bytes = new Uint8Array(4 + 2 * (text.length + 1));
    const view = new DataView(bytes.buffer);
    view.setUint32(0, attributes, true);
    for (let index = 0; index < text.length; index++) {
      view.setUint16(4 + 2 * index, text.charCodeAt(index), true);
    }
    return bytes;
  };
  return {
    kind: "file",
    permissions: 0o644,
    size: (node) => readBytes(node).length,
    read: (node) => [readBytes(node)],
  };
}

/** Non-volatile, accessible to boot services and at runtime. */
const attributes = 7;

/** Root directory. */
export const rootDirectory: Directory<SimulatedNode> = directory({
  bin: directory({
    containerd: text("\x7fELF containerd", { permissions: 0o755 }),
    runc: text("\x7fELF runc", { permissions: 0o755 }),
  }, { label: "bin_exec_t" }),
  boot: directory({}),
  dev: directory({
    kmsg: device(true),
    null: device(true),
    vda: device(false),
    vda1: device(false),
  }, { label: "device_t" }),
  etc: directory({
    "ca-certificates": link("/etc/ssl/certs/ca-certificates"),
    hostname: text((node: SimulatedNode) => `${node.identity.hostname}\n`),
    hosts: text(hosts),
    kubernetes: directory({ manifests: directory({}, { permissions: 0o700 }) }),
    "os-release": text(osRelease),
    "resolv.conf": text(resolvConf),
    ssl: directory({
      certs: directory({
        "ca-certificates": text(
          "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
        ),
      }),
    }),
  }, { label: "etc_t" }),
  lib: link("usr/lib"),
  opt: directory({}),
  proc: directory({
    bus: directory({
      pci: directory({
        devices: kernelText("0010\t1af41000\tb\n0030\t1af41001\tb\n"),
      }),
    }),
    cmdline: kernelText(`${kernelCommandLine}\n`),
    loadavg: kernelText((node: SimulatedNode) =>
      `${
        measureLoad(node).map((load) => load.toFixed(2)).join(" ")
      } 2/523 4711\n`
    ),
    meminfo: kernelText(meminfo),
    mounts: link("self/mounts"),
    self: directory({
      mounts: kernelText((node: SimulatedNode) =>
        mountTable(node).map(({ line }) => `${line}\n`).join("")
      ),
    }),
    sys: { ...directory({}), own: kernelParameters },
    uptime: kernelText(uptime),
    version: kernelText((node: SimulatedNode) =>
      `Linux version ${
        runningRelease(node).kernel
      }-talos (@buildkitsandbox) (gcc) #1 SMP\n`
    ),
  }, { permissions: 0o555, label: "proc_t" }),
  run: directory({}),
  sbin: directory({ init: text("\x7fELF init", { permissions: 0o755 }) }, {
    label: "bin_exec_t",
  }),
  sys: directory({
    class: directory({
      net: directory({
        eth0: link("../../devices/virtio0/net/eth0"),
        lo: link("../../devices/virtual/net/lo"),
      }),
    }),
    dev: directory({
      block: { ...directory({}), own: blockDeviceLinks },
    }),
    fs: directory({ cgroup: { ...directory({}), own: cgroupEntries } }),
    firmware: directory({ efi: directory({ efivars: loaderVariables }) }),
  }, { permissions: 0o555, label: "sysfs_t" }),
  system: directory({
    state: directory({
      "config.yaml": text(persistentConfig, {
        permissions: 0o600,
        label: "state_t",
      }),
    }, { permissions: 0o700 }),
  }),
  tmp: directory({}, { permissions: 0o1777 }),
  usr: directory({
    lib: directory({ "os-release": link("../../etc/os-release") }),
  }),
  var: directory({
    lib: {
      ...directory({
        kubelet: directory({
          "config.yaml": text(
            "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n",
          ),
        }),
      }),
      own: etcdFolder,
    },
    log: directory({
      audit: directory({
        kube: directory({ "kube-apiserver.log": text("") }, {
          owner: 65534,
          permissions: 0o700,
        }),
      }),
      containers: directory({}),
      pods: directory({}),
    }),
    run: link("/run"),
  }, { label: "ephemeral_t" }),
});

/** Files of kernel parameters, cached by settings. */
const parameterFolders = new WeakMap<
  NodeSettings,
  ReturnType<typeof makeFolder>
>();

/** Kernel parameters as files, including those that are not settings; cached, as each check of a node's boot reads one. */
function kernelParameters(node: SimulatedNode): ReturnType<typeof makeFolder> {
  const settings = readSettings(node);
  const known = parameterFolders.get(settings) ?? parameterFolder(settings);
  parameterFolders.set(settings, known);
  return known;
}

function parameterFolder(
  settings: NodeSettings,
): ReturnType<typeof makeFolder> {
  const set = Object.entries(kernelParameterFiles(settings)).map((
    [path, value],
  ) => [path.split("/"), kernelText<SimulatedNode>(`${value}\n`)] as const);
  return makeFolder([
    [
      ["kernel", "hostname"],
      kernelText(({ identity }) => `${identity.hostname}\n`),
    ],
    [["kernel", "random", "boot_id"], kernelText(({ boot }) => `${boot.id}\n`)],
    [["net", "ipv4", "route", "flush"], writeOnly()],
    ...set,
  ]);
}

/** Nests files in folders by path. */
function makeFolder(
  files: readonly (readonly [
    way: readonly string[],
    file: FileEntry<SimulatedNode>,
  ])[],
): Readonly<Record<string, FileEntry<SimulatedNode>>> {
  const groups = Map.groupBy(files, ([[name = ""]]) => name);
  return Object.fromEntries([...groups].map(([name, group]) => {
    const [first] = group;
    if (first?.[0].length === 1) return [name, first[1]];
    const inner = group.map(([way, file]) => [way.slice(1), file] as const);
    return [name, directory(makeFolder(inner))];
  }));
}

function osRelease(node: SimulatedNode): string {
  const release = runningRelease(node);
  return `NAME="${runtimeName}"
ID=talos
VERSION_ID=${release.tag}
PRETTY_NAME="${runtimeName} (${release.tag})"
`;
}

function resolvConf(node: SimulatedNode): string {
  const { searchDomains, searchesOwnDomain, domainName } = readSettings(node);
  const own = searchesOwnDomain && domainName !== "" ? [domainName] : [];
  const domains = [...searchDomains, ...own].join(" ") || ".";
  return `nameserver 127.0.0.53\n\nsearch ${domains}\n`;
}

function hosts(node: SimulatedNode): string {
  const { hostname, address } = node.identity;
  const { domainName } = readSettings(node);
  const names = domainName === ""
    ? hostname
    : `${hostname}.${domainName} ${hostname}`;
  return `127.0.0.1       localhost
${address} ${names}
::1             localhost ip6-localhost ip6-loopback
ff02::1         ip6-allnodes
ff02::2         ip6-allrouters
`;
}

function meminfo(node: SimulatedNode): string {
  const { memtotal, memfree, memavailable, buffers, cached } = measureMemory(
    node,
  );
  const lines = {
    MemTotal: memtotal,
    MemFree: memfree,
    MemAvailable: memavailable,
    Buffers: buffers,
    Cached: cached,
  };
  return Object.entries(lines).map(([name, value]) =>
    `${`${name}:`.padEnd(16)}${String(value).padStart(8)} kB\n`
  ).join("");
}

function uptime(
  { clock, boot: { startedAt } }: SimulatedNode,
): string {
  const seconds = (clock.now() - startedAt) / 1000;
  return `${seconds.toFixed(2)} ${(seconds * 3.6).toFixed(2)}\n`;
}

/** The etcd folder of a control plane, by name; empty if etcd has no data. */
export function etcdFolder(
  { identity, etcd, disk: { configured } }: SimulatedNode,
): Readonly<Record<string, FileEntry<SimulatedNode>>> {
  if (!configured || identity.machineType === "worker") return {};
  const hasData = etcd.server.databaseFile() !== undefined;
  const content: ReturnType<typeof etcdFolder> = hasData
    ? { member: memberFolder }
    : {};
  const common = { permissions: 0o700, label: "etcd_data_t" };
  return { etcd: directory(content, common) };
}

const databaseFile: RegularFile<SimulatedNode> = {
  kind: "file",
  permissions: 0o600,
  size: (node) => takeBytes(node).length,
  read: (node) => [takeBytes(node)],
};

const closed = { permissions: 0o700 };

const memberFolder = directory({
  snap: directory({ db: databaseFile }, closed),
  wal: directory({}, closed),
}, closed);

function takeBytes({ etcd }: SimulatedNode): Uint8Array {
  return etcd.server.databaseFile() ?? new Uint8Array();
}
