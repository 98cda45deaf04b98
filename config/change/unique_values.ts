/** Values of a configuration that must be unique per node. */

import { type Cursor, toCursor } from "../documents/cursor.ts";
import {
  type ConfigDocument,
  formatIdentity,
  mainKind,
} from "../documents/load.ts";
import { pathText } from "../documents/problem.ts";

/** A value that must be unique per node. */
interface UniqueValue {
  /** Path: `machine.network.hostname`, `LinkConfig/eth0 addresses[0].address`. */
  readonly path: string;
  /** Kind: `host name`, `address`, `key`, `hardware address`, `disk`. */
  readonly what: UniqueKind;
  /** The value; keys are secret. */
  readonly text: string;
}

/** Kinds of values that must be unique per node. */
type UniqueKind =
  | "host name"
  | "address"
  | "key"
  | "hardware address"
  | "disk";

type UniqueField = readonly [Cursor, UniqueKind];

/**
 * Finds host names, static addresses, private keys of tunnels, hardware addresses and serial
 * numbers of disks. Shared addresses (VIPs) are not included.
 */
export function uniqueValues(
  documents: readonly ConfigDocument[],
): readonly UniqueValue[] {
  return documents.flatMap((document) => {
    const root = toCursor(document.root);
    const isMain = document.kind === mainKind;
    const found = isMain ? ofMachine(root.get("machine")) : ofDocument(root);
    const prefix = isMain ? "" : `${formatIdentity(document)} `;
    return found.flatMap(([{ path, ...cursor }, what]) => {
      const text = cursor.text() ?? "";
      return text === "" ? [] : [{ path: prefix + pathText(path), what, text }];
    });
  });
}

/** Finds the static addresses. Returns them without their prefix length. */
export function staticAddresses(
  documents: readonly ConfigDocument[],
): readonly string[] {
  return uniqueValues(documents).flatMap(({ what, text }) =>
    what === "address" ? [text.split("/")[0] ?? ""] : []
  );
}

function ofMachine(machine: Cursor): readonly UniqueField[] {
  const kubelet = machine.get("kubelet", "extraArgs", "hostname-override");
  const selector = machine.get("install", "diskSelector");
  return [
    [machine.get("network", "hostname"), "host name"],
    [kubelet, "host name"],
    ...machine.get("network", "interfaces").items().flatMap(ofInterface),
    ...["serial", "uuid", "wwid"].map((key): UniqueField => [
      selector.get(key),
      "disk",
    ]),
  ];
}

function ofInterface(link: Cursor): readonly UniqueField[] {
  const hardware = link.get("deviceSelector", "hardwareAddr");
  const isPattern = hardware.text()?.includes("*") === true;
  return [
    ...listAddresses(link),
    ...link.get("vlans").items().flatMap(listAddresses),
    [link.get("wireguard", "privateKey"), "key"],
    ...(isPattern ? [] : [[hardware, "hardware address"] as const]),
  ];
}

function listAddresses(link: Cursor): readonly UniqueField[] {
  return [...link.get("addresses").items(), link.get("cidr")]
    .map((address) => [address, "address"]);
}

function ofDocument(root: Cursor): readonly UniqueField[] {
  return [
    [root.get("hostname"), "host name"],
    ...root.get("addresses").items().map(
      (item): UniqueField => [item.get("address"), "address"],
    ),
    [root.get("privateKey"), "key"],
    [root.get("hardwareAddr"), "hardware address"],
  ];
}
