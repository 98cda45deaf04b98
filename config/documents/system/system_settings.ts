/** Settings of the kernel and of the system that have documents of their own. */

import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { fileMode, openText, string } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, flag, list, map, nameField } from "../shapes.ts";

const environmentExample = {
  GRPC_GO_LOG_SEVERITY_LEVEL: "info",
  https_proxy: "http://proxy.example.com:8080/",
} as const;

/** `EnvironmentConfig`. */
export const environment: DocumentKind = {
  kind: "EnvironmentConfig",
  summary: "Environment variables of all services",
  named: false,
  since: "1.13",
  fields: {
    variables: field(map(string), "Names and values", {
      always: true,
      example: environmentExample,
    }),
  },
  examples: [{ value: { variables: environmentExample } }],
  *rules(document) {
    for (const [name, place] of document.get("variables").entries()) {
      if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) continue;
      yield place.error(
        `"${name}" is not the name of an environment variable`,
        "Use letters, digits and underscores, not starting with a digit",
      );
    }
  },
};

function parameters(
  kind: string,
  summary: string,
  example: Readonly<Record<string, string>>,
): DocumentKind {
  return {
    kind,
    summary,
    named: false,
    since: "1.14",
    fields: {
      params: field(map(openText), "Names and values", {
        always: true,
        example,
      }),
    },
    examples: [{ value: { params: example } }],
    *rules(document) {
      for (const [name, place] of document.get("params").entries()) {
        if (name !== "") continue;
        yield place.error("A parameter name is empty", "Name it or remove it");
      }
    },
  };
}

/** `SysctlConfig`. */
export const sysctl: DocumentKind = parameters(
  "SysctlConfig",
  "Kernel parameters (sysctl)",
  { "net.ipv4.ip_forward": "1" },
);

/** `SysfsConfig`. */
export const sysfs: DocumentKind = parameters(
  "SysfsConfig",
  "Kernel attributes (sysfs)",
  { "devices.system.cpu.cpu0.cpufreq.scaling_governor": "performance" },
);

/** `KernelModuleConfig`. */
export const kernelModule: DocumentKind = {
  kind: "KernelModuleConfig",
  summary: "A kernel module to load",
  named: true,
  since: "1.14",
  fields: {
    name: nameField("Name of the module", "btrfs"),
    parameters: field(
      list(string),
      "Module parameters; changes need a reboot",
      {
        example: ["queue_depth=64"],
      },
    ),
  },
  examples: [{ value: { name: "btrfs" } }],
};

/** `UdevRulesConfig`. */
export const udevRules: DocumentKind = {
  kind: "UdevRulesConfig",
  summary: "Custom udev rules",
  named: false,
  since: "1.14",
  fields: {
    rules: field(list(string), "Custom udev rules", {
      example: ['SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="44"'],
    }),
  },
  examples: [{
    value: { rules: ['SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="44"'] },
  }],
};

/** `SecurityProfileConfig`. */
export const securityProfile: DocumentKind = {
  kind: "SecurityProfileConfig",
  summary: "Security hardening of the node",
  named: false,
  since: "1.14",
  fields: {
    workloadIsolation: flag(
      "Runs container runtime, kubelet and pods in their own namespaces",
    ),
  },
  examples: [{ value: { workloadIsolation: true } }],
};

/** `EtcFileConfig`. */
export const etcFile: DocumentKind = {
  kind: "EtcFileConfig",
  summary: "A file in /etc",
  named: true,
  since: "1.14",
  fields: {
    name: nameField("Path relative to /etc", "nfsmount.conf"),
    mode: field(fileMode, "File mode", {
      always: true,
      initial: "0o644",
      example: 420,
    }),
    contents: field(string, "Content of the file", { always: true }),
  },
  examples: [{
    value: {
      name: "nfsmount.conf",
      mode: 420,
      contents: "[ NFSMount_Global_Options ]\nvers=4\n",
    },
  }],
  rules: etcFileRules,
};

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

/** Whether the path leads out of its folder on the way. */
function isOutside(path: string): boolean {
  let depth = 0;
  return path.split("/").some((part) => {
    if (part === "..") depth--;
    else if (part !== "" && part !== ".") depth++;
    return depth < 0;
  });
}
