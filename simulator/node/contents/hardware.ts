import type { SimulatedNode } from "../../state/node.ts";
import { type NodeResource, resource } from "./content.ts";

export const processorCount = 4;

/** System, processors, memory modules and devices. */
export function hardwareContents(node: SimulatedNode): readonly NodeResource[] {
  const owner = "hardware.SystemInfoController";
  return [
    resource("SystemInformations.hardware", "systeminformation", owner, {
      manufacturer: "QEMU",
      productName: "Standard PC (Q35 + ICH9, 2009)",
      version: "pc-q35-9.2",
      uuid: node.identity.uuid,
      wakeUpType: "Power Switch",
    }),
    ...processors.map((
      spec,
    ) => (resource("Processors.hardware", spec.socket, owner, spec))),
    resource(
      "MemoryModules.hardware",
      "DIMM-0",
      owner,
      node.identity.machineType === "worker" ? smallModule : largeModule,
    ),
    ...devices,
  ];
}

const processors = Array.from({ length: processorCount }, (_, index) => ({
  socket: `CPU-${index}`,
  manufacturer: "QEMU",
  productName: "pc-q35-9.2",
  maxSpeedMhz: 2000,
  bootSpeedMhz: 2000,
  status: 65,
  coreCount: 1,
  coreEnabled: 1,
  threadCount: 1,
}));

const largeModule = {
  sizeMiB: 4096,
  deviceLocator: "DIMM 0",
  manufacturer: "QEMU",
};
const smallModule = { ...largeModule, sizeMiB: 2048 };

const devices: readonly NodeResource[] = [
  resource(
    "PCIDevices.hardware",
    "0000:00:02.0",
    "hardware.PCIDevicesController",
    {
      class: "Network controller",
      subclass: "Ethernet controller",
      vendor: "Red Hat, Inc.",
      product: "Virtio network device",
      class_id: "0x02",
      subclass_id: "0x00",
      vendor_id: "0x1af4",
      product_id: "0x1000",
      driver: "virtio-pci",
    },
  ),
  resource(
    "PCIDevices.hardware",
    "0000:00:06.0",
    "hardware.PCIDevicesController",
    {
      class: "Mass storage controller",
      subclass: "SCSI storage controller",
      vendor: "Red Hat, Inc.",
      product: "Virtio block device",
      class_id: "0x01",
      subclass_id: "0x00",
      vendor_id: "0x1af4",
      product_id: "0x1001",
      driver: "virtio-pci",
    },
  ),
];
