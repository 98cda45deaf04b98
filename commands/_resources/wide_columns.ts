/** Columns of tables of resources that `-o wide` adds to those that the node names. */

/** Paths into the spec by header. */
type WideColumns = Readonly<Record<string, string>>;

/** By type, without its domain. */
const added: Readonly<Record<string, WideColumns>> = {
  "Members.cluster": {
    "API PORT": "{.controlPlane.apiServerPort}",
    "NODE ID": "{.nodeId}",
  },
  "LinkStatuses.net": {
    MTU: "{.mtu}",
    DRIVER: "{.driver}",
    PRODUCT: "{.product}",
  },
  "AddressStatuses.net": { SCOPE: "{.scope}", FLAGS: "{.flags}" },
  "Disks.block": { DEVICE: "{.dev_path}", "BUS PATH": "{.bus_path}" },
  "VolumeStatuses.block": {
    FILESYSTEM: "{.filesystem}",
    PARENT: "{.parentLocation}",
    ENCRYPTION: "{.encryptionProvider}",
  },
};

/** Columns for a type: `Disks.block.talos.dev`. */
export function wideColumns(type: string): WideColumns {
  return added[type.split(".").slice(0, 2).join(".")] ?? {};
}
