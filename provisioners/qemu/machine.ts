/** Virtual machines of a cluster. */

/** Disk drivers. */
export const diskDrivers = [
  "virtio",
  "ide",
  "ahci",
  "scsi",
  "nvme",
  "megaraid",
] as const;

/** One of {@linkcode diskDrivers}. */
export type DiskDriver = (typeof diskDrivers)[number];

/** CPU architectures of machines. */
export const architectures = ["amd64", "arm64"] as const;

/** One of {@linkcode architectures}. */
export type Architecture = (typeof architectures)[number];

/** Accelerators: hardware virtualization, or emulation (`tcg`). */
export type Accelerator = "kvm" | "hvf" | "tcg";

/** A disk of a machine. */
export interface MachineDisk {
  /** Path of its image file. */
  readonly path: string;
  readonly driver: DiskDriver;
  /** Block size in bytes. */
  readonly blockSize: number;
  /** Serial number; default that of QEMU. */
  readonly serial?: string | undefined;
}

/** Boot medium while the first disk is not bootable. */
export type BootMedium =
  | {
    /** A CD or USB stick. */
    readonly kind: "iso" | "usb";
    readonly path: string;
  }
  | {
    readonly kind: "uki";
    readonly path: string;
  }
  | {
    readonly kind: "kernel";
    readonly path: string;
    /** Path of the initramfs. */
    readonly initrd: string;
  }
  | {
    /** The network, or the first disk with an image. */
    readonly kind: "network" | "disk";
  };

/** Hardware that the machines of a cluster have in common. */
export interface Hardware {
  readonly architecture: Architecture;
  readonly boot: BootMedium;
  /** TPM version; default none. */
  readonly tpm?: "1.2" | "2.0" | undefined;
  /** True for an IOMMU, with a second network card behind it. */
  readonly hasIommu: boolean;
  /** True to start the clock in 2011. */
  readonly isClockWrong: boolean;
  /** True to boot from disk once Talos is installed. */
  readonly hasBootloader: boolean;
  /** True for a second serial console on a socket, for the debug shell. */
  readonly hasDebugShell: boolean;
}

/** One virtual machine. */
export interface Machine extends Hardware {
  readonly name: string;
  /** Folder of the cluster, with sockets and logs. */
  readonly folder: string;
  readonly uuid: string;
  readonly processors: number;
  readonly memory: number;
  readonly mac: string;
  /** Tap interface on the host. */
  readonly tap: string;
  /** Network namespace of that interface; default that of osctl. */
  readonly namespace?: string;
  /** MTU in bytes. */
  readonly mtu: number;
  /** Disks, system disk first. */
  readonly disks: readonly MachineDisk[];
  /** Kernel command line, for media that support one. */
  readonly kernelArguments: string;
  /** Arguments that boot loaders append to the kernel command line; default none. */
  readonly stubArguments?: string;
  /** Firmware files in address order: code, then variables; empty for BIOS. */
  readonly firmware: readonly string[];
  /** True for Secure Boot, which needs system management mode. */
  readonly isSecureBoot: boolean;
  /** Path of an ISO with its configuration; default none. */
  readonly configurationIso?: string | undefined;
}
