/** The operating system a node runs: version, how its image was made, and what is in it. */

import { domain } from "../../talos.ts";
import { OsctlError } from "../../errors.ts";
import { isOlder, parseVersion } from "../../lib/version.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import { parseSpec } from "../../transport/node/resource_yaml.ts";
import {
  readFields,
  readSpec,
  readSpecs,
} from "../../transport/node/read_resource.ts";
import { readNodeConfiguration } from "../configuration/node_configuration.ts";
import { readLoaderVariable } from "./install_state.ts";

/** First version with the services for installing. */
export const lifecycleSince = "v1.13.0-alpha.3";

interface SystemExtension {
  /** Name: `iscsi-tools`. */
  readonly name: string;
  /** Version, as its maker writes it. */
  readonly version: string;
}

/** What a node runs; what it does not tell is `undefined`. */
export interface NodeSystem {
  /** Version with `v`. */
  readonly version: string;
  /** Processor architecture: `amd64`. */
  readonly arch: string;
  /** Platform: `metal`, `aws`. */
  readonly platform: string;
  /** True when it runs as a container, whose operating system the node cannot upgrade. */
  readonly inContainer: boolean;
  /** Whether it was booted with secure boot. */
  readonly secureBoot: boolean | undefined;
  /** What its image was made from, 64 hexadecimal digits. */
  readonly schematic: string | undefined;
  /** False when that holds no customization. */
  readonly customized: boolean;
  readonly extensions: readonly SystemExtension[];
  /** Installer image its configuration names. */
  readonly installImage: string | undefined;
  /** Version of its kubelet, with `v`; empty when it does not tell. */
  readonly kubernetes: string;
}

/** Longest time for one answer, in milliseconds. */
const deadlineMs = 10_000;

/** Entries in the list of extensions that are none: what the image was made from, and an index of modules. */
const virtual = new Set(["schematic", "modules.dep"]);

/**
 * Asks a node for its system. Throws `RpcError` if it does not even tell its version.
 *
 * @param security How it was booted; asked for when omitted.
 */
export async function readNodeSystem(
  client: NodeClient,
  security: ReturnType<typeof readSecurityState> = readSecurityState(client),
): Promise<NodeSystem> {
  const [answer, listed, booted, configuration, kubernetes] = await Promise
    .all([
      client.machine.version({}, { deadlineMs }),
      listExtensions(client),
      security,
      readNodeConfiguration(client),
      readKubeletVersion(client),
    ]);
  const { version, platform } = single(answer.messages);
  const schematic = listed.find(({ name }) => name === "schematic");
  return {
    version: version?.tag ?? "",
    arch: version?.arch ?? "",
    platform: platform?.name ?? "",
    inContainer: platform?.mode === "container",
    secureBoot: booted && booted.secureBoot === true,
    schematic: schematic?.version,
    customized: schematic?.customized ?? false,
    extensions: listed.filter(({ name }) => !virtual.has(name)).map((
      { name, version },
    ) => ({ name, version })),
    installImage: configuration?.installImage,
    kubernetes,
  };
}

interface Listed extends SystemExtension {
  /** True when a customization is given. */
  readonly customized: boolean;
}

async function listExtensions(client: NodeClient): Promise<Listed[]> {
  const specs = await readSpecs(client, {
    namespace: "runtime",
    type: `ExtensionStatuses.runtime.${domain}`,
  });
  return [...specs?.values() ?? []].flatMap(({ metadata }) => {
    const { name, version, extraInfo } = readFields(metadata);
    if (typeof name !== "string") return [];
    return [{
      name,
      version: typeof version === "string" ? version : "",
      customized: isCustomized(extraInfo),
    }];
  });
}

/** Reads what an image was made from, YAML; one that cannot be read counts as customized. */
function isCustomized(extraInfo: unknown): boolean {
  if (typeof extraInfo !== "string") return true;
  try {
    const { customization, ...others } = readFields(parseSpec(extraInfo));
    return Object.keys({ ...others, ...readFields(customization) }).length > 0;
  } catch (error) {
    if (error instanceof OsctlError) return true;
    throw error;
  }
}

/** Asks a node how it was booted; `undefined` when it does not tell. */
export function readSecurityState(
  client: NodeClient,
): ReturnType<typeof readSpec> {
  return readSpec(client, {
    namespace: "runtime",
    type: `SecurityStates.${domain}`,
    id: "securitystate",
  });
}

type BootLoader = "systemd-boot" | "grub";

/**
 * Finds out which boot loader has started a node; `undefined` when the node does not tell, or has none.
 *
 * @param security How it was booted; asked for when omitted.
 */
export async function readBootLoader(
  client: NodeClient,
  security: ReturnType<typeof readSecurityState> = readSecurityState(client),
): Promise<BootLoader | undefined> {
  const spec = await security;
  if (spec === undefined) return undefined;
  // GRUB starts neither these images nor anything that is signed.
  if (spec.bootedWithUKI === true || spec.secureBoot === true) {
    return "systemd-boot";
  }
  // It alone leaves a name there.
  const entry = await readLoaderVariable(client, "LoaderEntrySelected");
  return entry === undefined ? "grub" : "systemd-boot";
}

/**
 * Reads the version of the kubelet, which is the oldest part of Kubernetes on a node.
 * Source: the tag of the image in `KubeletSpecs`.
 *
 * @returns With `v`; empty when the node does not tell, or its image names no version.
 */
export async function readKubeletVersion(
  client: Pick<NodeClient, "state">,
): Promise<string> {
  const spec = await readSpec(client, {
    namespace: "k8s",
    type: `KubeletSpecs.kubernetes.${domain}`,
    id: "kubelet",
  });
  return versionIn(spec?.image);
}

/** The tag of an image, without what follows the version. */
function versionIn(image: unknown): string {
  if (typeof image !== "string") return "";
  const [named = ""] = image.split("@");
  return /:(v\d+\.\d+\.\d+[^-]*(?:-(?:alpha|beta|rc)\.\d+)?)/.exec(named)
    ?.[1] ??
    "";
}

/** Reports whether a node has the services for installing. `version`: its version; false for what is none. */
export function hasLifecycle(version: string): boolean {
  return parseVersion(version) !== undefined &&
    !isOlder(version, lifecycleSince);
}
