/** What the virtual machines of a cluster are made of. */

/** Kinds of disks, by what the machine sees. */
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

/** Processors that machines can have. */
export const architectures = ["amd64", "arm64"] as const;

/** One of {@linkcode architectures}. */
export type Architecture = (typeof architectures)[number];

/** How instructions of a machine are executed: by the processor, or in software. */
export type Accelerator = "kvm" | "hvf" | "tcg";

/** A disk of a machine. */
export interface MachineDisk {
  /** Path of the file that it is. */
  readonly path: string;
  readonly driver: DiskDriver;
  /** Size of a block in bytes. */
  readonly blockSize: number;
}

/** What a machine boots while its first disk cannot be booted. */
export type BootMedium =
  | {
    /** A CD, a USB stick, or a disk image that is on the first disk already: then `path` is not used. */
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
    /** Path of its first file system. */
    readonly initrd: string;
  }
  | {
    /** The network, or the disk with an image. */
    readonly kind: "network" | "disk";
  };

/** One virtual machine. */
export interface Machine {
  readonly name: string;
  /** Folder of the cluster, where its sockets and logs are. */
  readonly folder: string;
  /** UUID, which its firmware shows. */
  readonly uuid: string;
  readonly architecture: Architecture;
  readonly processors: number;
  readonly memory: number;
  /** Address of its network card. */
  readonly mac: string;
  /** Network interface of the host that its card is connected to. */
  readonly tap: string;
  /** Network namespace of that interface; omitted, it is where osctl is. */
  readonly namespace?: string;
  /** Largest packet in bytes. */
  readonly mtu: number;
  /** Disks; the first is the one of the system. */
  readonly disks: readonly MachineDisk[];
  readonly boot: BootMedium;
  /** Command line of the kernel, for a medium that takes one. */
  readonly kernelArguments: string;
  /** What boot loaders add to the command line of the kernel; omitted, nothing is passed to them. */
  readonly stubArguments?: string;
  /** Files of the firmware in the order of their addresses: code, then variables; empty for BIOS. */
  readonly firmware: readonly string[];
  /** True when the firmware checks signatures, which needs system management mode. */
  readonly isSecureBoot: boolean;
  /** Version of its TPM; omitted, it has none. */
  readonly tpm?: "1.2" | "2.0" | undefined;
  /** True when it has an IOMMU, and a second network card behind it. */
  readonly hasIommu: boolean;
  /** True when its clock begins in 2011. */
  readonly isClockWrong: boolean;
  /** True when it boots from its disk as soon as something is installed. */
  readonly hasBootloader: boolean;
  /** Path of an ISO with its configuration; omitted, there is none. */
  readonly configurationIso?: string | undefined;
  /** True when a second serial console is to be had on a socket, for the debug shell. */
  readonly hasDebugShell: boolean;
}
