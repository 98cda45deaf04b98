import { openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, nameField } from "../shapes.ts";

/** `PCIDriverRebindConfig`. */
export const pciDriverRebind: DocumentKind = {
  kind: "PCIDriverRebindConfig",
  summary: "Rebinds a PCI device to another driver",
  named: true,
  nameless: true,
  since: "1.10",
  fields: {
    name: nameField("PCI address of the device", "0000:04:00.0"),
    targetDriver: field(openText, "Driver to bind the device to", {
      always: true,
      example: "vfio-pci",
    }),
  },
  examples: [{ value: { name: "0000:04:00.0", targetDriver: "vfio-pci" } }],
};
