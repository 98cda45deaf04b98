/** Converts the flags of both commands to settings, or refuses them by name. */

import { parseMinor } from "../../../lib/version.ts";
import { agentArguments } from "../../../talos.ts";
import { UsageError } from "../../../errors.ts";
import {
  type Contract,
  defaultContract,
  parseContract,
} from "../../../config/generate/contract.ts";
import {
  type BootMedium,
  type DiskDriver,
  diskDrivers,
  kernelArguments,
  keyTypes,
  type QemuSettings,
  type UserVolume,
  type WantedAgent,
  type WantedDisk,
} from "../../../provisioners/mod.ts";
import { refuseBefore14 } from "../../_gen_config/inputs.ts";
import { parseBytes } from "../_machine_flags.ts";
import { agentKinds, type FullInputs } from "./inputs.ts";
import {
  findImageCache,
  findManager,
  formatFlag,
  refuseTogether,
  toNetwork,
} from "./network_request.ts";

/** Virtual machines of a cluster, from the flags of either command. */
export interface QemuRequest extends QemuSettings {
  /** Values of all flags; those of the other command have their defaults. */
  readonly input: FullInputs;
  /** True if configurations are neither injected nor applied. */
  readonly staysUnconfigured: boolean;
  /** Path of the client configuration; omitted for the default. */
  readonly osconfig?: string | undefined;
}

const mebibyte = 1024 ** 2;

/** Boot media by priority, with their flags. */
const media = ["isoPath", "usbPath", "ukiPath"] as const;

/**
 * Builds the settings.
 *
 * @param home osctl directory in the user's home, for CNI plugins.
 * @throws {UsageError | ConfigError} Naming the invalid or conflicting flag.
 */
export function parseRequest(input: FullInputs, home = "."): QemuRequest {
  refuseClashes(input);
  const contract = decodeContract(input.osVersion);
  if (input.skipEtcdK8s) refuseBefore14(contract, "--skip-etcd-k8s");
  const minor = parseMinor(contract.version)?.minor ?? 0;
  const keys = listKeys(input);
  const userVolumes = input.userVolumes.map(parseVolumes);
  const extraDisks = listExtraDisks(input);
  const system = { driver: "virtio", size: input.disk * mebibyte } as const;
  const disks: WantedDisk[] = [
    ...Array<WantedDisk>(input.primaryDisks).fill(system),
    ...userVolumes.map((volumes) => ({
      driver: "ide" as const,
      size: sizeFor(volumes),
    })),
    ...input.extraDisksOnControlplanes ? extraDisks : [],
  ];
  return {
    input,
    staysUnconfigured: input.skipInjectingConfig && !input.withApplyConfig,
    contract,
    wantedAgent: findAgent(input),
    documents: {
      minor,
      systemDisk: "virtio",
      controlPlanePort: input.controlPlanePort,
      kubeprismPort: input.kubeprismPort,
      usesVip: input.useVip,
      customCniUrl: input.customCniUrl,
      isKexecOff: !input.withBootloader || input.arch === "arm64",
      isDebug: input.withDebug,
      insecureRegistries: input.registryInsecureSkipVerify,
      firewall: chooseFirewall(input),
      encrypted: [
        ...input.encryptState ? ["STATE" as const] : [],
        ...input.encryptEphemeral ? ["EPHEMERAL" as const] : [],
        ...input.encryptUserVolumes ? ["user" as const] : [],
      ],
      keys,
      userVolumes,
      hasJsonLogs: input.withJsonLogs,
      manager: findManager(input),
      wireguardCidr: findWireguard(input),
    },
    network: toNetwork(input, home),
    hardware: {
      architecture: input.arch,
      boot: chooseBoot(input),
      tpm: input.withTpm2 ? "2.0" : input.withTpm1_2 ? "1.2" : undefined,
      hasIommu: input.withIommu,
      isClockWrong: input.badRtc,
      hasBootloader: input.withBootloader,
      hasDebugShell: input.withDebugShell,
    },
    accelerator: input.accel,
    controlplane: { nanocpus: input.cpus, memory: input.memory },
    worker: { nanocpus: input.cpusWorkers, memory: input.memoryWorkers },
    disks,
    workerDisks: input.extraDisksOnControlplanes ? [] : extraDisks,
    blockSize: parseBlockSize(input),
    isPreallocated: input.diskPreallocate,
    diskImage: input.diskImagePath,
    bootScript: input.ipxeBootScript,
    imageCache: findImageCache(input),
    kernelArguments: kernelArguments({
      architecture: input.arch,
      minor,
      extra: input.extraBootKernelArgs,
      hasDebugShell: input.withDebugShell,
    }),
    hasStubArguments: !input.skipInjectingExtraCmdline,
    hasUefi: input.withUefi,
    firmwareFolders: input.extraUefiSearchPaths,
    injection: input.skipInjectingConfig
      ? "none"
      : input.configInjectionMethod === "metal-iso"
      ? "metal-iso"
      : "http",
  };
}

/** Refuses flags that conflict with the architecture, the boot medium or another flag. */
function refuseClashes(input: FullInputs): void {
  refuseTogether(
    input.withTpm1_2 && input.withTpm2,
    "--with-tpm1_2",
    "--with-tpm2",
  );
  refuseTogether(
    input.endpoint !== undefined && input.initNodeAsEndpoint,
    "--endpoint",
    "--init-node-as-endpoint",
  );
  refuseTogether(
    input.isoPath !== undefined && input.usbPath !== undefined,
    "--iso-path",
    "--usb-path",
  );
  refuseTogether(
    input.isoPath !== undefined && input.ukiPath !== undefined,
    "--iso-path",
    "--uki-path",
  );
  refuseTogether(
    input.usbPath !== undefined && input.ukiPath !== undefined,
    "--usb-path",
    "--uki-path",
  );
  for (const medium of media) {
    refuseTogether(
      input.ipxeBootScript !== undefined && input[medium] !== undefined,
      "--ipxe-boot-script",
      formatFlag(medium),
    );
  }
  refuseTogether(
    input.withIommu && input.arch === "arm64",
    "--with-iommu",
    "--arch arm64",
  );
  refuseTogether(
    input.skipInjectingConfig && input.configInjectionMethod === "metal-iso",
    "--skip-injecting-config",
    "--config-injection-method metal-iso",
  );
  refuseTogether(
    input.withApplyConfig && !input.skipInjectingConfig,
    "--with-apply-config",
    "--skip-injecting-config=false",
  );
  if (input.provisioner !== "qemu") {
    throw new UsageError(
      `Cannot use --provisioner ${input.provisioner}: these flags are for VMs`,
      {
        hint: `Use: osctl cluster create ${input.provisioner}`,
      },
    );
  }
  if (input.encryptUserVolumes && input.userVolumes.length === 0) {
    throw new UsageError(
      "Cannot use --encrypt-user-volumes without --user-volumes",
    );
  }
  for (const list of ["extraDisksDrivers", "extraDisksSerials"] as const) {
    if (input[list].length <= input.extraDisks) continue;
    throw new UsageError(
      `Cannot use ${input[list].length} ${
        formatFlag(list)
      } with --extra-disks ${input.extraDisks}`,
    );
  }
  if (input.extraDisksTags.some((tag) => tag !== "")) {
    throw new UsageError(
      "Cannot use --extra-disks-tags: they are for the driver virtiofs, which osctl does not have",
    );
  }
}

/** `latest` is the default version for generated configurations. */
function decodeContract(version: string): Contract {
  return version === "latest" ? defaultContract : parseContract(version);
}

function listKeys(
  { diskEncryptionKeyTypes: given, withTpm2 }: FullInputs,
): (typeof keyTypes)[number][] {
  const kinds = given.flatMap((value) => value.split(","));
  if (kinds.length === 0) return ["uuid"];
  return kinds.map((kind) => {
    const known = keyTypes.find((one) => one === kind);
    if (known === undefined) {
      throw new UsageError(
        `Invalid value "${kind}" for --disk-encryption-key-types: must be one of ${
          keyTypes.join(", ")
        }`,
      );
    }
    if (known === "tpm" && !withTpm2) {
      throw new UsageError(
        "Cannot use --disk-encryption-key-types tpm without --with-tpm2",
      );
    }
    return known;
  });
}

function parseVolumes(value: string): UserVolume[] {
  const parts = value.split(":");
  const volumes: UserVolume[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const [name = "", size = ""] = parts.slice(at, at + 2);
    if (!/^[a-zA-Z0-9-]{1,34}$/.test(name) || parseBytes(size) === undefined) {
      throw new UsageError(
        `Invalid value "${value}" for --user-volumes: must be <name1>:<size1>:<name2>:<size2>`,
        {
          hint: "For example data:5GB:logs:1GB",
        },
      );
    }
    volumes.push({ name, size });
  }
  return volumes;
}

/** Each partition is aligned, and so is the space before the first. */
function sizeFor(volumes: readonly UserVolume[]): number {
  const sizes = volumes.map(({ size }) => parseBytes(size) ?? 0);
  return sizes.reduce(
    (sum, size) => sum + size,
    2 * mebibyte * (volumes.length + 1),
  );
}

function listExtraDisks(
  { extraDisks, extraDisksSize, arch, ...given }: FullInputs,
): WantedDisk[] {
  const usual = arch === "arm64" ? "virtio" : "ide";
  return Array.from({ length: extraDisks }, (_, at) => {
    const driver = parseDriver(
      given.extraDisksDrivers[at] ?? usual,
      "--extra-disks-drivers",
    );
    const serial = parseSerial(given.extraDisksSerials[at] ?? "", driver);
    const disk = { driver, size: extraDisksSize * mebibyte };
    return serial === undefined ? disk : { ...disk, serial };
  });
}

/** Checks a serial number. Returns `undefined` if it is empty. */
function parseSerial(serial: string, driver: DiskDriver): string | undefined {
  if (serial === "") return undefined;
  if (driver === "ide" || driver === "nvme") {
    throw new UsageError(
      `Cannot use --extra-disks-serials ${serial}: disks with driver ${driver} have no serial number of their own`,
      { hint: "Choose another one with --extra-disks-drivers, such as virtio" },
    );
  }
  // Longer ones are cut by the virtual disk.
  if (/^[\w.-]{1,20}$/.test(serial)) return serial;
  throw new UsageError(
    `Invalid value "${serial}" for --extra-disks-serials: must be up to 20 letters, digits, dots, dashes and underscores`,
  );
}

/** Finds a driver by name. Throws UsageError if there is none. */
export function parseDriver(name: string, flag: string): DiskDriver {
  const known = diskDrivers.find((one) => one === name);
  if (known !== undefined) return known;
  throw new UsageError(
    `Invalid value "${name}" for ${flag}: must be one of ${
      diskDrivers.join(", ")
    }`,
  );
}

function parseBlockSize({ diskBlockSize }: FullInputs): number {
  if ((diskBlockSize & (diskBlockSize - 1)) === 0) return diskBlockSize;
  throw new UsageError(
    `Invalid value "${diskBlockSize}" for --disk-block-size: must be a power of two`,
  );
}

function chooseBoot(input: FullInputs): BootMedium {
  const path = (text: string) => text.replaceAll("${ARCH}", input.arch);
  if (input.ipxeBootScript !== undefined) return { kind: "network" };
  if (input.isoPath !== undefined) {
    return { kind: "iso", path: path(input.isoPath) };
  }
  if (input.usbPath !== undefined) {
    return { kind: "usb", path: path(input.usbPath) };
  }
  if (input.ukiPath !== undefined) {
    return { kind: "uki", path: path(input.ukiPath) };
  }
  if (input.diskImagePath !== undefined) return { kind: "disk" };
  return {
    kind: "kernel",
    path: path(input.vmlinuzPath),
    initrd: path(input.initrdPath),
  };
}

function chooseFirewall(
  { withFirewall }: FullInputs,
): "accept" | "block" | undefined {
  if (
    withFirewall === undefined || withFirewall === "accept" ||
    withFirewall === "block"
  ) {
    return withFirewall;
  }
  throw new UsageError(
    `Invalid value "${withFirewall}" for --with-firewall: must be accept or block`,
  );
}

function findAgent(
  { withOslink, extraBootKernelArgs = "" }: FullInputs,
): WantedAgent | undefined {
  if (withOslink === undefined || withOslink === "false") return undefined;
  const kind = withOslink === "true" ? "wireguard" : withOslink;
  const known = agentKinds.find((one) => one === kind);
  if (known === undefined) {
    throw new UsageError(
      `Invalid value "${withOslink}" for --with-oslink: must be true or one of ${
        agentKinds.join(", ")
      }`,
    );
  }
  const other = agentArguments.find((name) =>
    extraBootKernelArgs.split(/\s+/).some((word) => word.startsWith(`${name}=`))
  );
  refuseTogether(
    other !== undefined,
    "--with-oslink",
    `${other} in --extra-boot-kernel-args`,
  );
  return { isTunnel: known.includes("tunnel"), hasTls: known.endsWith("+tls") };
}

function findWireguard({ wireguardCidr }: FullInputs): string | undefined {
  if (
    wireguardCidr === undefined ||
    /^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/.test(wireguardCidr)
  ) {
    return wireguardCidr;
  }
  throw new UsageError(
    `Invalid value "${wireguardCidr}" for --wireguard-cidr: must be an IPv4 subnet such as 10.6.0.0/24`,
  );
}
