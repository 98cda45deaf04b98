/** Variables by which the boot loader and the operating system talk. Source: systemd's boot loader interface. */

import type { SimulatedNode } from "../node/node.ts";
import { type Directory, directory, type RegularFile } from "./entry.ts";

/** Vendor part of the names of the variables. */
const vendor = "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";

/** The directory with the variables; those of a node without a boot loader, or with GRUB, are empty. */
export const loaderVariables: Directory<SimulatedNode> = directory({
  [`LoaderEntryDefault-${vendor}`]: variable((
    { disk: { bootEntries } },
  ) => bootEntries?.chosen),
  [`LoaderEntrySelected-${vendor}`]: variable((
    { disk: { bootEntries } },
  ) => bootEntries?.running.name),
});

/** A variable: four bytes of attributes, then text in UTF-16 with a zero behind. */
function variable(
  textOf: (node: SimulatedNode) => string | undefined,
): RegularFile<SimulatedNode> {
  const bytesOf = (node: SimulatedNode) => {
    const text = node.disk.bootLoader === "grub" ? undefined : textOf(node);
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
    size: (node) => bytesOf(node).length,
    read: (node) => [bytesOf(node)],
  };
}

/** Kept without power, there before and behind the start of the system. */
const attributes = 7;
