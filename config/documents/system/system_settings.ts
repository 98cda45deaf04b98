/** Kernel and system settings with separate documents. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const environment = documentKind(environmentRules)`
EnvironmentConfig | since 1.13 | Environment variables of all services
  = {"variables": {"GRPC_GO_LOG_SEVERITY_LEVEL": "info", "https_proxy": "http://proxy.example.com:8080/"}}
  variables | map(string), always | Names and values
    = {"GRPC_GO_LOG_SEVERITY_LEVEL": "info", "https_proxy": "http://proxy.example.com:8080/"}
`;

function* environmentRules(document: Cursor): Iterable<Problem> {
  for (const [name, place] of document.get("variables").entries()) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) continue;
    yield place.error(
      `"${name}" is not the name of an environment variable`,
      "Use letters, digits and underscores, not starting with a digit",
    );
  }
}

export const sysctl = documentKind(parameterRules)`
SysctlConfig | since 1.14 | Kernel parameters (sysctl)
  = {"params": {"net.ipv4.ip_forward": "1"}}
  params | map(text), always | Names and values | {"net.ipv4.ip_forward": "1"}
`;

export const sysfs = documentKind(parameterRules)`
SysfsConfig | since 1.14 | Kernel attributes (sysfs)
  = {"params": {"devices.system.cpu.cpu0.cpufreq.scaling_governor": "performance"}}
  params | map(text), always | Names and values
    = {"devices.system.cpu.cpu0.cpufreq.scaling_governor": "performance"}
`;

function* parameterRules(document: Cursor): Iterable<Problem> {
  for (const [name, place] of document.get("params").entries()) {
    if (name !== "") continue;
    yield place.error("A parameter name is empty", "Name it or remove it");
  }
}

export const kernelModule = documentKind()`
KernelModuleConfig | named, since 1.14 | A kernel module to load
  = {"name": "btrfs"}
  name       | text, always | Name of the module | "btrfs"
  parameters | list(string) | Module parameters; changes need a reboot | ["queue_depth=64"]
`;

export const udevRules = documentKind()`
UdevRulesConfig | since 1.14 | Custom udev rules
  = {"rules": ["SUBSYSTEM==\"drm\", KERNEL==\"renderD*\", GROUP=\"44\""]}
  rules | list(string) | Custom udev rules | ["SUBSYSTEM==\"drm\", KERNEL==\"renderD*\", GROUP=\"44\""]
`;

export const securityProfile = documentKind()`
SecurityProfileConfig | since 1.14 | Security hardening of the node
  = {"workloadIsolation": true}
  workloadIsolation | boolean, optional, default false | Runs container runtime, kubelet and pods in their own namespaces
`;

export const etcFile = documentKind(etcFileRules)`
EtcFileConfig | named, since 1.14 | A file in /etc
  = {"name": "nfsmount.conf", "mode": 420, "contents": "[ NFSMount_Global_Options ]\nvers=4\n"}
  name     | text, always | Path relative to /etc | "nfsmount.conf"
  mode     | fileMode, always, default 0o644 | File mode | 420
  contents | string, always | Content of the file
`;

const ownFiles = [
  "resolv.conf",
  "hosts",
  "machine-id",
  "extensions.yaml",
  "localtime",
  "os-release",
  "xattr.conf",
];

const ownFolders = [
  "apparmor.d",
  "apparmor",
  "ca-certificates",
  "cni",
  "cri",
  "iscsi",
  "kubernetes",
  "lvm",
  "nvme",
  "pki",
  "selinux",
  "ssl",
];

function* etcFileRules(document: Cursor): Iterable<Problem> {
  const given = document.get("name");
  const path = given.text() ?? "";
  if (path === "") return;
  const [folder = ""] = path.split("/");
  if (/^[./]/.test(path) || isOutside(path)) {
    yield given.error(
      `Path "${path}" is not below /etc`,
      "Write it without the leading /etc/, such as nfsmount.conf",
    );
  } else if (ownFiles.includes(path) || ownFolders.includes(folder)) {
    yield given.error(
      `File "${path}" is managed by the system`,
      "Use the document kind that configures it",
    );
  }
}

/** Reports whether the path leaves its folder at any point. */
function isOutside(path: string): boolean {
  let depth = 0;
  return path.split("/").some((part) => {
    if (part === "..") depth--;
    else if (part !== "" && part !== ".") depth++;
    return depth < 0;
  });
}
