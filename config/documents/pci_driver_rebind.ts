/** Drivers of PCI devices. */

import { openText } from "./scalars/scalars.ts";
import type { DocumentKind } from "./schema.ts";

/** `PCIDriverRebindConfig`. */
export const pciDriverRebind: DocumentKind = {
  kind: "PCIDriverRebindConfig",
  summary: "Driver that a PCI device has instead of its own",
  named: true,
  since: "1.10",
  fields: {
    name: {
      shape: openText,
      always: true,
      summary: "Address of the device",
      examples: [{ value: "0000:04:00.0" }],
    },
    targetDriver: {
      shape: openText,
      always: true,
      summary: "The driver it gets",
      examples: [{ value: "vfio-pci" }],
    },
  },
  examples: [{ value: { name: "0000:04:00.0", targetDriver: "vfio-pci" } }],
};
