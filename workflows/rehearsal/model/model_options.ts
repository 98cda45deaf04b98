import type { LoaderKind } from "../../../simulator/release/boot_entries.ts";
import type { Pace } from "../../../simulator/state/node.ts";

/** Options of a model cluster. */
export interface ModelClusterOptions {
  /** Number of control planes, at least 1. */
  readonly controlPlanes: number;
  /** Number of workers; default 0. */
  readonly workers?: number;
  /** Version of all nodes, with `v`: `v1.13.4`. */
  readonly version: string;
  /** Options of single nodes, by name. */
  readonly different?: Readonly<Record<string, DifferentNode>>;
  /** Version of Kubernetes, without `v`; default that of other simulated clusters. */
  readonly kubernetes?: string;
  /** Configuration of a node by index, YAML; default generated. */
  readonly configuration?: (index: number) => string | undefined;
  /** Selects nodes in maintenance mode by index; default none. */
  readonly unconfigured?: (index: number) => boolean;
  /** False if the control planes wait for a bootstrap of etcd; default true. */
  readonly bootstrapped?: boolean;
  /** Name; default `demo`. Nodes are called `demo-controlplane-1`, `demo-worker-1`. */
  readonly name?: string;
  /** Varies the pace of each node, deterministically for the same seed; default the same pace for all. */
  readonly seed?: number;
  /** Start time, in milliseconds since 1970; default the next full hour, so that certificates from this machine's clock are valid. */
  readonly start?: number;
  /** Durations of the phases of a node; default 20 s for a reboot with an installation. */
  readonly pace?: Partial<Pace>;
}

/** Options of one node that differ from the others. */
export interface DifferentNode {
  /** Version, with `v`; default that of the others. */
  readonly version?: string;
  /** Boot loader; default systemd-boot. */
  readonly bootLoader?: LoaderKind;
}
