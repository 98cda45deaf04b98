import { defaultRelease, imageFactory } from "../../../dialect.ts";
import { plainSchematic } from "../../../config/images.ts";
import { homeDirectory } from "../../../config/osconfig/location.ts";
import { UsageError } from "../../../errors.ts";
import { fetchAsset, type WantedDisk } from "../../../provisioners/mod.ts";
import { working } from "../../../transport/call/open_calls.ts";
import { type CreatedRow, createdView } from "../_created.ts";
import { bytesOf, machineSizes } from "../_machine_flags.ts";
import { createVms } from "../_qemu/create.ts";
import { type FullInputs, fullInputs, sharedInputs } from "../_qemu/inputs.ts";
import { driverOf, type QemuRequest, requestOf } from "../_qemu/request.ts";
import { patchFlag } from "../../_configure/patches.ts";
import {
  type AnyCommand,
  type Command,
  type Context,
  strings,
  text,
  type Values,
} from "../../_kit/mod.ts";

/** What a cluster can boot from; `maintenance` leaves nodes without configuration. */
const presets = [
  "iso",
  "iso-secureboot",
  "pxe",
  "disk-image",
  "maintenance",
] as const;

type Preset = (typeof presets)[number];

const inputs = {
  ...sharedInputs,
  configPatchControlplanes: patchFlag("patch for control planes"),
  configPatchWorkers: patchFlag("patch for workers"),
  ...machineSizes,
  disks: strings(
    "disks as <driver>:<size>; the first is the system disk of every node, the others are for workers",
    {
      initial: ["virtio:10GB", "virtio:6GB"],
    },
  ),
  imageFactoryUrl: text("URL of the image factory", {
    initial: `https://${imageFactory}/`,
  }),
  osVersion: text("operating system version", { initial: "latest" }),
  osconfigDestination: text("client configuration to merge the context into", {
    complete: "files",
    shown: "same as --osconfig",
  }),
  presets: strings(`what to boot: ${presets.join(", ")}`, { initial: ["iso"] }),
  schematicId: text("schematic of the image factory", {
    shown: "one without extensions",
  }),
};

type QemuInputs = Values<typeof inputs>;

/** `osctl cluster create qemu`: virtual machines from the image factory. */
export const command: AnyCommand = {
  summary: "Create a cluster of VMs with QEMU",
  description:
    `Downloads the operating system from the image factory once, boots VMs from it, applies configurations to them, and
bootstraps the cluster.

Runs on Linux. Root is needed for the bridge and the network interfaces of the VMs, and for DHCP and DNS on it; the
state directory belongs to the user who ran sudo. Without KVM, VMs run in software, which is much slower.`,
  inputs,
  examples: [
    "cluster create qemu",
    "cluster create qemu --controlplanes 3 --disks nvme:20GB,scsi:5GB",
    "cluster create qemu --presets iso-secureboot",
  ],
  view: createdView,
  async *run(context) {
    const { input } = context;
    const chosen = presetsOf(input);
    const full = fullOf(input, chosen);
    const request = withDisks(requestOf(full), input);
    const machines = await withMedium(request.machines, chosen, context);
    yield await createVms({
      request: { ...request, machines },
      osconfig: input.osconfigDestination,
      staysUnconfigured: chosen.isMaintenance,
    }, { ...context, input: full });
  },
} satisfies Command<CreatedRow, QemuInputs>;

interface Chosen {
  readonly boot: Exclude<Preset, "maintenance">;
  readonly isMaintenance: boolean;
}

function presetsOf({ presets: given }: QemuInputs): Chosen {
  const boots: Chosen["boot"][] = [];
  for (const name of given) {
    const known = presets.find((one) => one === name);
    if (known === undefined) {
      throw new UsageError(
        `Invalid value "${name}" for --presets: must be one or more of ${
          presets.join(", ")
        }`,
      );
    }
    if (known !== "maintenance") boots.push(known);
  }
  const [boot] = boots;
  if (boot === undefined || boots.length > 1) {
    throw new UsageError(
      "Invalid value for --presets: must have exactly one of iso, iso-secureboot, pxe, disk-image",
      {
        hint: "For example --presets iso,maintenance",
      },
    );
  }
  return { boot, isMaintenance: given.includes("maintenance") };
}

/** Flags that only the other command has are at their defaults. */
function fullOf(input: QemuInputs, { boot }: Chosen): FullInputs {
  const initial = Object.fromEntries(
    Object.entries(fullInputs).map(([name, { initial }]) => [name, initial]),
  );
  const isSecure = boot === "iso-secureboot";
  return {
    // Its keys and types are those of the declarations.
    ...initial as unknown as FullInputs,
    ...input,
    cpus: input.cpusControlplanes,
    memory: input.memoryControlplanes,
    configPatchControlPlane: input.configPatchControlplanes,
    configPatchWorker: input.configPatchWorkers,
    installImage: installerOf(input, isSecure),
    diskPreallocate: false,
    skipInjectingConfig: true,
    withTpm2: isSecure,
    encryptState: isSecure,
    encryptEphemeral: isSecure,
    diskEncryptionKeyTypes: isSecure ? ["tpm"] : [],
  };
}

function installerOf(
  { imageFactoryUrl, schematicId = plainSchematic, osVersion }: QemuInputs,
  isSecure: boolean,
): string {
  const { host } = factoryOf(imageFactoryUrl);
  const name = isSecure ? "metal-installer-secureboot" : "metal-installer";
  return `${host}/${name}/${schematicId}:${releaseOf(osVersion)}`;
}

function factoryOf(url: string): URL {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) {
    return new URL(url);
  }
  throw new UsageError(
    `Invalid value "${url}" for --image-factory-url: must be a URL such as https://${imageFactory}/`,
  );
}

function releaseOf(version: string): string {
  if (version === "latest") return defaultRelease;
  if (/^v\d+\.\d+\.\d+/.test(version)) return version;
  throw new UsageError(
    `Invalid value "${version}" for --os-version: must be a release such as ${defaultRelease}`,
  );
}

function withDisks(request: QemuRequest, { disks }: QemuInputs): QemuRequest {
  const [system, ...others] = disks.map((value): WantedDisk => {
    const [driver = "", sizeText = ""] = value.split(":");
    const bytes = bytesOf(sizeText);
    if (bytes === undefined) {
      throw new UsageError(
        `Invalid value "${value}" for --disks: must be <driver>:<size>, such as virtio:10GB`,
      );
    }
    return { driver: driverOf(driver, "--disks"), size: bytes };
  });
  if (system === undefined) {
    throw new UsageError("Invalid value for --disks: a system disk is needed");
  }
  return {
    ...request,
    documents: { ...request.documents, systemDisk: system.driver },
    machines: { ...request.machines, disks: [system], workerDisks: others },
  };
}

/** Downloads what the machines boot from. */
async function withMedium(
  machines: QemuRequest["machines"],
  { boot }: Chosen,
  { input, environment, signal, note }: Context<QemuInputs>,
): Promise<QemuRequest["machines"]> {
  const { imageFactoryUrl, schematicId = plainSchematic, osVersion, arch } =
    input;
  const base = factoryOf(imageFactoryUrl).href.replace(/\/+$/, "");
  const place = `${schematicId}/${releaseOf(osVersion)}/metal-${arch}`;
  if (boot === "pxe") {
    return {
      ...machines,
      boot: { kind: "network" },
      bootScript: `${base}/pxe/${place}`,
    };
  }
  const ends = {
    iso: ".iso",
    "iso-secureboot": "-secureboot.iso",
    "disk-image": ".raw.zst",
  };
  const url = `${base}/image/${place}${ends[boot]}`;
  const cache = `${homeDirectory(environment.env) ?? "."}/cache`;
  note(`using ${url}`);
  const path = await working(
    `downloading ${url}`,
    () => fetchAsset(url, { cache, signal }),
  );
  return boot === "disk-image"
    ? { ...machines, boot: { kind: "disk" }, diskImage: path }
    : { ...machines, boot: { kind: "iso", path } };
}
