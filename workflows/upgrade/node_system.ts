/** Running OS of a node: version, schematic, and extensions. */

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

/** First version with the lifecycle services. */
export const lifecycleSince = "v1.13.0-alpha.3";

interface SystemExtension {
  /** Name: `iscsi-tools`. */
  readonly name: string;
  /** Version, as its vendor writes it. */
  readonly version: string;
}

/** Running system of a node; unreported fields are `undefined`. */
export interface NodeSystem {
  /** Version with `v`. */
  readonly version: string;
  /** Processor architecture: `amd64`. */
  readonly arch: string;
  /** Platform: `metal`, `aws`. */
  readonly platform: string;
  /** True when it runs as a container, whose OS the node cannot upgrade. */
  readonly inContainer: boolean;
  readonly secureBoot: boolean | undefined;
  /** Schematic id of its image, 64 hexadecimal digits. */
  readonly schematic: string | undefined;
  /** False for a schematic without customization. */
  readonly customized: boolean;
  readonly extensions: readonly SystemExtension[];
  /** Installer image in its configuration. */
  readonly installImage: string | undefined;
  /** Kubelet version, with `v`; empty if not reported. */
  readonly kubernetes: string;
}

/** Timeout for each request, in milliseconds. */
const deadlineMs = 10_000;

/** Pseudo extensions in the list: the schematic, and a module index. */
const virtual = new Set(["schematic", "modules.dep"]);

/**
 * Reads the system of a node. Throws `RpcError` if it does not report its version.
 *
 * @param security Security state; read when omitted.
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

/** Parses a schematic, YAML; one that cannot be parsed counts as customized. */
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

/** Reads the security state of a node; `undefined` if not reported. */
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
 * Finds the boot loader of a node; `undefined` if not reported, or there is none.
 *
 * @param security Security state; read when omitted.
 */
export async function readBootLoader(
  client: NodeClient,
  security: ReturnType<typeof readSecurityState> = readSecurityState(client),
): Promise<BootLoader | undefined> {
  const spec = await security;
  if (spec === undefined) return undefined;
  // GRUB boots neither UKIs nor signed images.
  if (spec.bootedWithUKI === true || spec.secureBoot === true) {
    return "systemd-boot";
  }
  // Only systemd-boot sets this variable.
  const entry = await readLoaderVariable(client, "LoaderEntrySelected");
  return entry === undefined ? "grub" : "systemd-boot";
}

/**
 * Reads the kubelet version, the oldest Kubernetes component on a node. Source: the tag of the image in
 * `KubeletSpecs`.
 *
 * @returns With `v`; empty if not reported, or the tag has no version.
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

/** Version in an image tag, without suffixes. */
function versionIn(image: unknown): string {
  if (typeof image !== "string") return "";
  const [named = ""] = image.split("@");
  return /:(v\d+\.\d+\.\d+[^-]*(?:-(?:alpha|beta|rc)\.\d+)?)/.exec(named)
    ?.[1] ??
    "";
}

/** Reports whether a node has the lifecycle services. `version`: its version; false if invalid. */
export function hasLifecycle(version: string): boolean {
  return parseVersion(version) !== undefined &&
    !isOlder(version, lifecycleSince);
}
