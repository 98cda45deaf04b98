/** Functions of expressions in addition to those of CEL. */

import { ConfigError } from "../../errors.ts";
import { addressFamily, contains, parseNetwork } from "../../lib/ip.ts";
import type { NodeFacts } from "./facts.ts";
import {
  installerFor,
  parseInstaller,
} from "../upgrade/installer_reference.ts";
import {
  compareVersions,
  parseVersion,
  type Version,
} from "../../lib/version.ts";

const keep = "keep";

/** Compares two versions. Returns -1, 0 or 1. Throws `ConfigError` if one of them is not a version. */
export function semverCompare(a: string, b: string): bigint {
  return BigInt(Math.sign(compareVersions(decodeVersion(a), decodeVersion(b))));
}

/**
 * Counts the minor versions from one version to another.
 *
 * @returns Negative when `b` is older.
 * @throws {ConfigError} If one of them is not a version, or the major versions differ.
 */
export function semverMinorGap(a: string, b: string): bigint {
  const [from, to] = [decodeVersion(a), decodeVersion(b)];
  if (from.major !== to.major) {
    throw new ConfigError(
      `Cannot count minor versions from "${a}" to "${b}": they have different major versions`,
    );
  }
  return BigInt(to.minor - from.minor);
}

/**
 * Reports whether a node needs another version or image.
 *
 * @param node The node; a node that did not answer needs an upgrade.
 * @param image `keep`, or the required image.
 */
export function needsUpgrade(
  node: NodeFacts,
  version: string,
  image: string,
): boolean {
  const runs = parseVersion(node.version);
  if (runs === undefined) return true;
  if (compareVersions(runs, decodeVersion(version)) !== 0) return true;
  if (image === keep) return false;
  const wanted = parseInstaller(image);
  if (wanted.schematic !== undefined) {
    return wanted.schematic !== node.schematic;
  }
  return wanted.repository !== parseInstaller(node.image).repository;
}

/**
 * Returns the installer image for a node.
 *
 * @param image `keep` for its current repository and schematic, else an image; the version is added if it has no tag.
 */
export function targetImage(
  node: NodeFacts,
  image: string,
  version: string,
): string {
  if (image !== keep) {
    return parseInstaller(image).repository === image
      ? `${image}:${version}`
      : image;
  }
  return installerFor({ image: null, to: version }, {
    version: node.version,
    arch: "",
    platform: node.platform,
    inContainer: false,
    secureBoot: node.secureBoot,
    schematic: node.schematic === "" ? undefined : node.schematic,
    customized: node.customized,
    extensions: [],
    installImage: node.image === "" ? undefined : node.image,
    kubernetes: node.kubernetesVersion,
  }).text;
}

/**
 * Reports whether a whole text matches a pattern, without exponential backtracking.
 *
 * @param pattern `*` matches any characters, `?` matches one.
 */
export function glob(text: string, pattern: string): boolean {
  let [at, from] = [0, 0];
  let [star, taken] = [-1, 0];
  while (at < text.length) {
    if (pattern[from] === "*") {
      [star, taken] = [from++, at];
    } else if (pattern[from] === "?" || pattern[from] === text[at]) {
      at++;
      from++;
    } else if (star >= 0) {
      [from, at] = [star + 1, ++taken];
    } else return false;
  }
  while (pattern[from] === "*") from++;
  return from === pattern.length;
}

/**
 * Reports whether a network contains an address.
 *
 * @param net `10.0.0.0/8`, `fd00::/8`.
 * @param ip Address; an address of the other IP version never matches.
 * @throws {ConfigError} If one of them is invalid.
 */
export function cidrContains(net: string, ip: string): boolean {
  const network = parseNetwork(net);
  if (network === undefined) {
    throw new ConfigError(`Cannot read "${net}": it is not a network`, {
      hint: "Write it as 10.0.0.0/8",
    });
  }
  if (ip.includes("%") || addressFamily(ip) === undefined) {
    throw new ConfigError(`Cannot read "${ip}": it is not an IP address`);
  }
  return contains(network, ip);
}

function decodeVersion(text: string): Version {
  const version = parseVersion(text);
  if (version !== undefined) return version;
  throw new ConfigError(`Cannot read "${text}": it is not a version`, {
    hint: "Write it as v1.13.4",
  });
}
