import { documentKind } from "../table.ts";

export const pciDriverRebind = documentKind()`
PCIDriverRebindConfig | named, nameless, since 1.10 | Rebinds a PCI device to another driver
  = {"name": "0000:04:00.0", "targetDriver": "vfio-pci"}
  name         | text, always | PCI address of the device | "0000:04:00.0"
  targetDriver | text, always | Driver to bind the device to | "vfio-pci"
`;
