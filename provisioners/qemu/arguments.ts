/** QEMU command line of a virtual machine. */

import type { Accelerator, Machine, MachineDisk } from "./machine.ts";

/** Options of a start. */
export interface Start {
  readonly accelerator: Accelerator;
  /** True if the first disk is bootable. */
  readonly isInstalled: boolean;
  /** True to boot from the network this time. */
  readonly network: boolean;
}

interface MachineFiles {
  readonly pid: string;
  /** Log of its console and supervisor. */
  readonly log: string;
  /** Socket of the QEMU monitor. */
  readonly monitor: string;
  readonly agent: string;
  /** Socket of the second console. */
  readonly debug: string;
  readonly tpm: string;
}

/** Returns the file paths of a machine. */
export function locateFiles(
  { folder, name }: Pick<Machine, "folder" | "name">,
): MachineFiles {
  return {
    pid: `${folder}/${name}.pid`,
    log: `${folder}/${name}.log`,
    monitor: `${folder}/${name}.monitor`,
    agent: `${folder}/${name}.sock`,
    debug: `${folder}/${name}.serial`,
    tpm: `${folder}/${name}-tpm`,
  };
}

/** Returns the QEMU program for an architecture. */
export function programFor(
  { architecture }: Pick<Machine, "architecture">,
): string {
  return architecture === "amd64"
    ? "qemu-system-x86_64"
    : "qemu-system-aarch64";
}

/** Builds the arguments for a start. */
export function qemuArguments(machine: Machine, start: Start): string[] {
  return [
    ...hardware(machine, start),
    ...machine.disks.reduce(attach, newDisks()).args,
    ...bootFirst(machine, start),
    ...board(machine, start),
    ...machine.firmware.flatMap((path) => [
      "-drive",
      `file=${escape(path)},format=raw,if=pflash`,
    ]),
    ...configurationIso(machine),
    ...tpm(machine),
    ...iommu(machine),
    ...medium(machine, start),
    ...stub(machine),
    ...machine.isClockWrong
      ? ["-rtc", "base=2011-11-11T11:11:00,clock=rt"]
      : [],
  ];
}

function hardware(machine: Machine, { network }: Start): string[] {
  const { pid, log, monitor, agent, debug } = locateFiles(machine);
  const order = network || machine.boot.kind === "network" ? "nc" : "cd";
  const { mac, tap, mtu } = machine;
  return [
    ...["-name", machine.name],
    ...["-pidfile", pid],
    ...["-m", `${machine.memory}`],
    ...["-smp", `cpus=${machine.processors}`],
    ...["-cpu", machine.isClockWrong ? "max,-kvmclock" : "max"],
    ...["-display", "none"],
    ...["-chardev", `file,id=console0,path=${escape(log)},append=on`],
    ...["-serial", "chardev:console0"],
    ...["-netdev", `tap,id=net0,ifname=${tap},script=no,downscript=no`],
    ...["-device", `virtio-net-pci,netdev=net0,mac=${mac},host_mtu=${mtu}`],
    ...["-device", "virtio-rng-pci"],
    ...["-device", "virtio-balloon,deflate-on-oom=on"],
    ...["-monitor", `unix:${escape(monitor)},server=on,wait=off`],
    "-no-reboot",
    ...["-boot", `order=${order},reboot-timeout=5000`],
    ...["-smbios", `type=1,uuid=${machine.uuid}`],
    ...[
      "-chardev",
      `socket,path=${escape(agent)},server=on,wait=off,id=qga0`,
    ],
    ...["-device", "virtio-serial"],
    ...["-device", "virtserialport,chardev=qga0,name=org.qemu.guest_agent.0"],
    ...["-device", "i6300esb,id=watchdog0"],
    ...["-action", "watchdog=pause"],
    ...machine.hasDebugShell
      ? ["-serial", `unix:${escape(debug)},server=on,wait=off`]
      : [],
  ];
}

interface Attached {
  readonly args: readonly string[];
  /** Next disk number, in total and by driver. */
  readonly next: number;
  readonly ports: ReadonlyMap<string, number>;
}

function newDisks(): Attached {
  return { args: [], next: 0, ports: new Map() };
}

/** Attaches a disk, and its controller before the first disk of a driver. */
function attach({ args, next, ports }: Attached, disk: MachineDisk): Attached {
  const port = ports.get(disk.driver) ?? 0;
  const made = disksBy[disk.driver](disk, next, port);
  const controller = port === 0 ? controllers[disk.driver] : undefined;
  return {
    args: [
      ...args,
      ...controller === undefined ? [] : ["-device", controller],
      ...made,
    ],
    next: next + 1,
    ports: new Map([...ports, [disk.driver, port + 1]]),
  };
}

const controllers: Partial<Record<string, string>> = {
  ahci: "ahci,id=ahci0",
  scsi: "virtio-scsi-pci,id=scsi0",
  nvme: "nvme,id=nvme-ctrl-0,serial=deadbeef",
  megaraid: "megasas-gen2,id=megaraid0",
};

type AttachDisk = (disk: MachineDisk, index: number, port: number) => string[];

const disksBy: Readonly<Record<MachineDisk["driver"], AttachDisk>> = {
  virtio: (disk, index) => [
    ...["-drive", `${drive(disk, `virtio${index}`)},cache=none`],
    ...[
      "-device",
      `virtio-blk-pci,id=disk${index},drive=virtio${index},${blocks(disk)}`,
    ],
  ],
  ide: ({ path }) => [
    "-drive",
    `format=raw,if=ide,media=disk,file=${escape(path)},cache=none`,
  ],
  ahci: (disk, index, port) => [
    ...["-drive", drive(disk, `ide${index}`)],
    ...[
      "-device",
      `ide-hd,drive=ide${index},bus=ahci0.${port}${withSerial(disk)}`,
    ],
  ],
  scsi: (disk, index) => [
    ...["-drive", `${drive(disk, `scsi${index}`)},${discarding}`],
    ...[
      "-device",
      `scsi-hd,drive=scsi${index},bus=scsi0.0,${blocks(disk)}`,
    ],
  ],
  nvme: (disk, index) => [
    ...["-drive", `${drive(disk, `nvme${index}`)},${discarding}`],
    ...["-device", `nvme-ns,drive=nvme${index},${blocks(disk)}`],
  ],
  megaraid: (disk, index, port) => [
    ...["-drive", `${drive(disk, `scsi${index}`)},${discarding}`],
    ...[
      "-device",
      `scsi-hd,drive=scsi${index},bus=megaraid0.0,channel=0,scsi-id=${port},lun=0,${
        blocks(disk)
      }`,
    ],
  ],
};

/** Sets the boot order: a BIOS tries disks of built-in controllers first; UEFI finds the bootable disk. */
function bootFirst(
  { firmware, disks, boot }: Machine,
  { isInstalled, network }: Start,
): string[] {
  const isFirst = firmware.length === 0 && disks[0]?.driver === "virtio" &&
    !network && (isInstalled ? boot.kind !== "network" : boot.kind === "disk");
  return isFirst ? ["-set", "device.disk0.bootindex=1"] : [];
}

const discarding = "discard=unmap,cache=none";

function drive({ path }: MachineDisk, id: string): string {
  return `id=${id},format=raw,if=none,file=${escape(path)}`;
}

function blocks(disk: MachineDisk): string {
  const { blockSize } = disk;
  return `logical_block_size=${blockSize},physical_block_size=${blockSize}${
    withSerial(disk)
  }`;
}

function withSerial({ serial }: MachineDisk): string {
  return serial === undefined ? "" : `,serial=${serial}`;
}

function board(machine: Machine, { accelerator }: Start): string[] {
  const { architecture, hasIommu, isSecureBoot } = machine;
  const type = architecture === "amd64" ? "q35" : "virt,gic-version=max";
  const parts = [
    type,
    ...architecture === "amd64" && isSecureBoot ? ["smm=on"] : [],
    ...hasIommu && architecture === "amd64" ? ["kernel-irqchip=split"] : [],
  ];
  // Without acceleration, multiple threads are fastest.
  const accel = accelerator === "tcg" ? "tcg,thread=multi" : accelerator;
  // TCG has no split interrupt controller.
  const machineParts = accelerator === "tcg"
    ? parts.filter((part) => !part.startsWith("kernel-irqchip"))
    : parts;
  return ["-machine", machineParts.join(","), "-accel", accel];
}

function configurationIso({ configurationIso: path }: Machine): string[] {
  if (path === undefined) return [];
  return ["-drive", `id=cdrom1,file=${escape(path)},media=cdrom`];
}

function tpm(machine: Machine): string[] {
  if (machine.tpm === undefined) return [];
  const socket = `${locateFiles(machine).tpm}/swtpm.sock`;
  const device = machine.architecture === "amd64"
    ? "tpm-tis"
    : "tpm-tis-device";
  return [
    ...["-chardev", `socket,id=chrtpm,path=${escape(socket)}`],
    ...["-tpmdev", "emulator,id=tpm0,chardev=chrtpm"],
    ...["-device", `${device},tpmdev=tpm0`],
  ];
}

/** An IOMMU, and an unconnected network card behind a root port. */
function iommu({ architecture, hasIommu }: Machine): string[] {
  if (!hasIommu || architecture !== "amd64") return [];
  return [
    ...["-device", "intel-iommu,intremap=on,device-iotlb=on"],
    ...["-device", "ioh3420,id=pcie.1,chassis=1"],
    ...["-netdev", "hubport,id=net1,hubid=1"],
    ...["-device", "e1000,bus=pcie.1,netdev=net1"],
  ];
}

function medium(
  { boot, firmware, hasBootloader, kernelArguments }: Machine,
  { isInstalled, network }: Start,
): string[] {
  if (network || isInstalled && hasBootloader) return [];
  switch (boot.kind) {
    case "iso":
      // A machine without a boot loader would boot from its disk.
      if (isInstalled) return [];
      return ["-drive", `id=cdrom0,file=${escape(boot.path)},media=cdrom`];
    case "usb":
      if (isInstalled) return [];
      return [
        ...[
          "-drive",
          `if=none,id=stick,format=raw,read-only=on,file=${escape(boot.path)}`,
        ],
        ...["-device", "nec-usb-xhci,id=xhci"],
        ...[
          "-device",
          `usb-storage,bus=xhci.0,drive=stick,removable=on${
            // A BIOS tries only one disk, and a USB stick counts as one.
            firmware.length === 0 ? ",bootindex=1" : ""}`,
        ],
      ];
    case "uki":
      return ["-kernel", boot.path, "-append", kernelArguments];
    case "kernel":
      return [
        ...["-kernel", boot.path],
        ...["-initrd", boot.initrd],
        ...["-append", kernelArguments],
      ];
    case "network":
    case "disk":
      return [];
  }
}

/** SMBIOS strings that boot loaders append to the kernel command line. */
function stub({ stubArguments }: Machine): string[] {
  if (stubArguments === undefined) return [];
  const key = "io.systemd.stub.kernel-cmdline-extra";
  return ["-smbios", `type=11,value=${key}=${escape(stubArguments)}`];
}

function escape(value: string): string {
  return value.replaceAll(",", ",,");
}
