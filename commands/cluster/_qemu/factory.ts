/** Converts the flags of `cluster create qemu` to machine settings and image factory boot assets. */

import { defaultRelease, imageFactory, legacyFlags } from "../../../talos.ts";
import { plainSchematic } from "../../../config/releases.ts";
import { UsageError } from "../../../errors.ts";
import {
  assetPath,
  type BootMedium,
  type WantedDisk,
} from "../../../provisioners/mod.ts";
import { patchFlag } from "../../_configure/patches.ts";
import { InputProblem, strings, text, type Values } from "../../_kit/mod.ts";
import { machineSizes, parseBytes } from "../_machine_flags.ts";
import { type FullInputs, fullInputs, sharedInputs } from "./inputs.ts";
import { parseDriver, parseRequest, type QemuRequest } from "./request.ts";

/** Boot presets; `maintenance` leaves nodes without a configuration. */
const presets = [
  "iso",
  "iso-secureboot",
  "pxe",
  "disk-image",
  "maintenance",
] as const;

type Preset = (typeof presets)[number];

/** Flags of `cluster create qemu`. */
export const factoryInputs = {
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
  imageFactoryAuth: {
    ...text("user and password for the image factory, as user:password"),
    parse(value: string): string {
      if (/^[^:]+:/.test(value)) return value;
      throw new InputProblem("must be <user>:<password>");
    },
  },
  osVersion: text("operating system version", {
    aliases: [legacyFlags.osVersion],
    initial: "latest",
  }),
  osconfigDestination: text("client configuration to merge the context into", {
    aliases: [legacyFlags.osconfigDestination],
    complete: "files",
    shown: "same as --osconfig",
  }),
  presets: strings(`what to boot: ${presets.join(", ")}`, { initial: ["iso"] }),
  schematicId: text("schematic of the image factory", {
    shown: "one without extensions",
  }),
};

export type FactoryInputs = Values<typeof factoryInputs>;

/**
 * Builds the settings. Throws UsageError or ConfigError naming the invalid or conflicting flag.
 *
 * @param cache Folder of downloads.
 * @param download Downloads a boot asset to the folder.
 */
export function factoryRequest(
  given: FactoryInputs,
  cache: string,
  download: (url: string) => Promise<void>,
): QemuRequest {
  const { boot, isMaintenance } = applyPresets(given);
  const { imageFactoryUrl, schematicId = plainSchematic, osVersion, arch } =
    given;
  const request = parseRequest(fillDefaults(given, boot));
  const machines = {
    ...withDisks(request, given),
    osconfig: given.osconfigDestination,
    staysUnconfigured: isMaintenance,
  };
  const base = parseFactory(imageFactoryUrl).href.replace(/\/+$/, "");
  const place = `${schematicId}/${parseRelease(osVersion)}/metal-${arch}`;
  const from = (boot: BootMedium) => ({ ...request.hardware, boot });
  if (boot === "pxe") {
    const bootScript = `${base}/pxe/${place}`;
    return { ...machines, hardware: from({ kind: "network" }), bootScript };
  }
  const url = `${base}/image/${place}${ends[boot]}`;
  const path = assetPath(url, cache);
  return {
    ...machines,
    download: () => download(url),
    ...boot === "disk-image"
      ? { hardware: from({ kind: "disk" }), diskImage: path }
      : { hardware: from({ kind: "iso", path }) },
  };
}

const ends = {
  iso: ".iso",
  "iso-secureboot": "-secureboot.iso",
  "disk-image": ".raw.zst",
};

interface Chosen {
  readonly boot: Exclude<Preset, "maintenance">;
  readonly isMaintenance: boolean;
}

function applyPresets({ presets: given }: FactoryInputs): Chosen {
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

/** Sets the flags of the other command to their defaults. */
function fillDefaults(
  input: FactoryInputs,
  boot: Chosen["boot"],
): FullInputs {
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
    installImage: chooseInstaller(input, isSecure),
    diskPreallocate: false,
    skipInjectingConfig: true,
    withTpm2: isSecure,
    encryptState: isSecure,
    encryptEphemeral: isSecure,
    diskEncryptionKeyTypes: isSecure ? ["tpm"] : [],
  };
}

function chooseInstaller(
  { imageFactoryUrl, schematicId = plainSchematic, osVersion }: FactoryInputs,
  isSecure: boolean,
): string {
  const { host } = parseFactory(imageFactoryUrl);
  const name = isSecure ? "metal-installer-secureboot" : "metal-installer";
  return `${host}/${name}/${schematicId}:${parseRelease(osVersion)}`;
}

function parseFactory(url: string): URL {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) {
    return new URL(url);
  }
  throw new UsageError(
    `Invalid value "${url}" for --image-factory-url: must be a URL such as https://${imageFactory}/`,
  );
}

function parseRelease(version: string): string {
  if (version === "latest") return defaultRelease;
  if (/^v\d+\.\d+\.\d+/.test(version)) return version;
  throw new UsageError(
    `Invalid value "${version}" for --os-version: must be a release such as ${defaultRelease}`,
  );
}

function withDisks(
  request: QemuRequest,
  { disks }: FactoryInputs,
): QemuRequest {
  const [system, ...others] = disks.map((value): WantedDisk => {
    const [driver = "", sizeText = ""] = value.split(":");
    const bytes = parseBytes(sizeText);
    if (bytes === undefined) {
      throw new UsageError(
        `Invalid value "${value}" for --disks: must be <driver>:<size>, such as virtio:10GB`,
      );
    }
    return { driver: parseDriver(driver, "--disks"), size: bytes };
  });
  if (system === undefined) {
    throw new UsageError("Invalid value for --disks: a system disk is needed");
  }
  return {
    ...request,
    documents: { ...request.documents, systemDisk: system.driver },
    disks: [system],
    workerDisks: others,
  };
}
