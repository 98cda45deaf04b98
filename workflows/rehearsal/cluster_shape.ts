/** Specification of a simulated cluster, in one word: `sim:3cp+5w,v1.13.4`. */

import { ConfigError } from "../../errors.ts";
import { parseVersion } from "../../lib/version.ts";
import { formatAddress } from "../../simulator/state/node_address.ts";

/** Specification of a simulated cluster. */
export interface ModelClusterSpec {
  readonly controlPlanes: number;
  readonly workers: number;
  /** Version of the nodes, with `v`. */
  readonly version: string;
  /** True when nodes boot with GRUB. */
  readonly grub: boolean;
}

const usualVersion = "v1.13.4";

const most = 500;

const hint =
  "Write sim:3cp+5w,v1.13.4: control planes, workers, and the version they run; add ,grub for nodes that boot with GRUB";

/**
 * Parses the specification of a cluster.
 *
 * @param text `sim:` may be omitted, as well as workers and the version.
 * @throws {ConfigError} If the syntax is wrong.
 */
export function parseClusterSpec(text: string): ModelClusterSpec {
  const [size = "", ...rest] = text.replace(/^sim:/, "").split(",");
  const match = /^(\d{1,3})cp(?:\+(\d{1,3})w)?$/.exec(size);
  const controlPlanes = Number(match?.[1] ?? 0);
  const workers = Number(match?.[2] ?? 0);
  if (controlPlanes < 1 || controlPlanes > most || workers > most) {
    throw shapeError(text, `"${size}" is not a size`);
  }
  let version = usualVersion;
  let grub = false;
  for (const word of rest) {
    if (word === "grub") grub = true;
    else if (parseVersion(word) !== undefined) {
      version = word.startsWith("v") ? word : `v${word}`;
    } else throw shapeError(text, `"${word}" is not a version`);
  }
  return { controlPlanes, workers, version, grub };
}

function shapeError(text: string, reason: string): ConfigError {
  return new ConfigError(`Cannot simulate cluster "${text}": ${reason}`, {
    hint,
  });
}

/** Names and addresses of the nodes, in their order. */
export function listModelNodes(
  { controlPlanes, workers }: ModelClusterSpec,
): readonly { readonly name: string; readonly address: string }[] {
  const named = (kind: string, count: number) =>
    Array.from({ length: count }, (_, at) => `demo-${kind}-${at + 1}`);
  return [...named("controlplane", controlPlanes), ...named("worker", workers)]
    .map((name, index) => ({ name, address: formatAddress(undefined, index) }));
}

/** Formats a specification in one word. */
export function clusterSpecText(
  { controlPlanes, workers, version, grub }: ModelClusterSpec,
): string {
  const more = workers === 0 ? "" : `+${workers}w`;
  return `sim:${controlPlanes}cp${more},${version}${grub ? ",grub" : ""}`;
}
