/** Effects of whole documents and marks in patches; the same as with a node's own tools, unless `own` gives a reason. */

import { grown, kind, type Row, toCases, unchanged } from "./_patch_case.ts";

const hostname = kind("HostnameConfig", "hostname: a");

const documents: readonly Row[] = [
  [
    "a document that is not there comes last",
    `${hostname}---\nmachine: {type: worker}`,
    kind("ZswapConfig", "maxPoolPercent: 20"),
    `machine: {type: worker}\n---\n${hostname}---\n${
      kind("ZswapConfig", "maxPoolPercent: 20")
    }`,
  ],
  [
    "a document that says nothing but its name comes into being",
    "machine: {type: worker}",
    kind("DHCPv4Config", "name: eth0"),
    `machine: {type: worker}\n---\n${kind("DHCPv4Config", "name: eth0")}`,
  ],
  [
    "documents of the same kind are told apart by their names",
    `${kind("LinkConfig", "name: a")}---\n${kind("LinkConfig", "name: b")}`,
    kind("LinkConfig", "name: b, mtu: 1500"),
    `${kind("LinkConfig", "name: a")}---\n${
      kind("LinkConfig", "name: b, mtu: 1500")
    }`,
  ],
  [
    "several documents are patched at once",
    `machine: {type: worker}\n---\n${hostname}`,
    `${kind("HostnameConfig", "hostname: b")}---\nmachine: {token: x}`,
    `machine: {type: worker, token: x}\n---\n${
      kind("HostnameConfig", "hostname: b")
    }`,
  ],
  [
    "a document is deleted",
    `machine: {type: worker}\n---\n${hostname}`,
    kind("HostnameConfig", "$patch: delete"),
    "machine: {type: worker}",
  ],
  [
    "a document with a name is deleted",
    `${kind("LinkConfig", "name: a")}---\n${kind("LinkConfig", "name: b")}`,
    kind("LinkConfig", "name: a, $patch: delete"),
    kind("LinkConfig", "name: b"),
  ],
  [
    "a document that is not there is not deleted",
    "machine: {type: worker}",
    kind("HostnameConfig", "$patch: delete"),
    "machine: {type: worker}",
    {
      notes: [
        "nothing to delete: there is no HostnameConfig",
        ...unchanged.notes,
      ],
      own: "there an empty document comes into being",
    },
  ],
  [
    "a document is replaced",
    `machine: {type: worker}\n---\n${hostname}`,
    kind("HostnameConfig", "$patch: replace, auto: stable"),
    `machine: {type: worker}\n---\n${kind("HostnameConfig", "auto: stable")}`,
    { own: "there is no replace" },
  ],
];

const deletes: readonly Row[] = [
  [
    "a key is deleted",
    "machine: {type: worker, network: {hostname: a, nameservers: [1.1.1.1]}}",
    "machine: {network: {hostname: {$patch: delete}}}",
    "machine: {type: worker, network: {nameservers: [1.1.1.1]}}",
  ],
  [
    "a section is deleted",
    "machine: {type: worker}\ncluster: {clusterName: a}",
    "cluster: {$patch: delete}",
    "machine: {type: worker}",
  ],
  [
    "a key of a mapping is deleted",
    "machine: {sysctls: {a: x, b.c: y}}",
    "machine: {sysctls: {b.c: {$patch: delete}}}",
    "machine: {sysctls: {a: x}}",
  ],
  [
    "a key of what is left open is deleted",
    "machine: {kubelet: {extraConfig: {a: {b: 1, c: 2}}}}",
    "machine: {kubelet: {extraConfig: {a: {b: {$patch: delete}}}}}",
    "machine: {kubelet: {extraConfig: {a: {c: 2}}}}",
  ],
  [
    "deletes come before values",
    "machine: {sysctls: {a: x}, certSANs: [a]}",
    "machine: {sysctls: {$patch: delete}, certSANs: [b]}",
    "machine: {certSANs: [a, b]}",
    grown("machine.certSANs"),
  ],
  [
    "an element is deleted by its first key",
    "machine: {network: {interfaces: [{interface: a}, {interface: b, mtu: 1}]}}",
    "machine: {network: {interfaces: [{interface: b, $patch: delete}]}}",
    "machine: {network: {interfaces: [{interface: a}]}}",
  ],
  [
    "only the first of the elements is deleted",
    "machine: {files: [{path: /a, op: create}, {path: /a, op: append}]}",
    "machine: {files: [{$patch: delete, path: /a}]}",
    "machine: {files: [{path: /a, op: append}]}",
  ],
  [
    "an element is deleted by a number",
    "machine: {network: {interfaces: [{interface: a, mtu: 1500}]}}",
    "machine: {network: {interfaces: [{mtu: 0x5DC, $patch: delete}]}}",
    "machine: {network: {interfaces: []}}",
    { own: "there numbers are not found" },
  ],
  [
    "an element is deleted and another added",
    "cluster: {apiServer: {admissionControl: [{name: P, configuration: {}}]}}",
    "cluster: {apiServer: {admissionControl: [{name: P, $patch: delete}, {name: Q, configuration: {}}]}}",
    "cluster: {apiServer: {admissionControl: [{name: Q, configuration: {}}]}}",
  ],
  [
    "a key that is not there is not deleted",
    "machine: {type: worker}",
    "machine: {sysctls: {a: {$patch: delete}}}",
    "machine: {type: worker}",
    {
      notes: [
        "nothing to delete: there is no machine.sysctls.a",
        ...unchanged.notes,
      ],
      own: "there the patch fails",
    },
  ],
  [
    "an element that is not there is not deleted",
    "machine: {files: [{path: /a}]}",
    "machine: {files: [{path: /b, $patch: delete}]}",
    "machine: {files: [{path: /a}]}",
    {
      notes: [
        "nothing to delete: there is no machine.files[path=/b]",
        ...unchanged.notes,
      ],
      own: "there the patch fails",
    },
  ],
  [
    "a key of a document that is not there is not deleted",
    "machine: {type: worker}",
    kind("HostnameConfig", "hostname: {$patch: delete}"),
    "machine: {type: worker}",
    {
      notes: [
        "nothing to delete: there is no hostname in HostnameConfig",
        ...unchanged.notes,
      ],
      own: "there empty documents come into being",
    },
  ],
];

const replaces: readonly Row[] = [
  [
    "a mapping is replaced",
    "machine: {sysctls: {a: x, b: y}}",
    "machine: {sysctls: {$patch: replace, c: z}}",
    "machine: {sysctls: {c: z}}",
  ],
  [
    "a section is replaced",
    "machine: {type: worker, install: {disk: /dev/sda, wipe: true}}",
    "machine: {install: {$patch: replace, disk: /dev/sdb}}",
    "machine: {type: worker, install: {disk: /dev/sdb}}",
  ],
  [
    "a list is replaced",
    "machine: {certSANs: [a, b]}",
    "machine: {certSANs: [{$patch: replace}, c]}",
    "machine: {certSANs: [c]}",
  ],
  [
    "a list is replaced by none",
    "machine: {files: [{path: /a}]}",
    "machine: {files: [{$patch: replace}]}",
    "machine: {files: []}",
  ],
  [
    "an element is replaced, and comes last",
    "machine: {network: {interfaces: [{interface: a, mtu: 1}, {interface: b}]}}",
    "machine: {network: {interfaces: [{interface: a, $patch: replace, dhcp: true}]}}",
    "machine: {network: {interfaces: [{interface: b}, {interface: a, dhcp: true}]}}",
    grown("machine.network.interfaces"),
  ],
  [
    "what is not there is set instead",
    "machine: {type: worker}",
    "machine: {sysctls: {$patch: replace, a: x}}",
    "machine: {type: worker, sysctls: {a: x}}",
  ],
].map(([name = "", from = "", patch = "", to = "", more = {}]) =>
  [
    name,
    from,
    patch,
    to,
    { ...(more as object), own: "there is no replace" },
  ] as Row
);

/** Every case. */
export const markCases = toCases([documents, deletes, replaces].flat());
