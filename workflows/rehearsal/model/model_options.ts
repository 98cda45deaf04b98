import type { LoaderKind } from "../../../simulator/release/boot_entries.ts";
import type { Pace } from "../../../simulator/state/node.ts";

/** What a model cluster is made from. */
export interface ModelClusterOptions {
  /** Number of control planes, at least 1. */
  readonly controlPlanes: number;
  /** Number of workers; default 0. */
  readonly workers?: number;
  /** Version that all nodes run, with `v`: `v1.13.4`. */
  readonly version: string;
  /** What is different in single nodes, by their names. */
  readonly different?: Readonly<Record<string, DifferentNode>>;
  /** Version of Kubernetes, without `v`; default that of other simulated clusters. */
  readonly kubernetes?: string;
  /** Name; default `demo`. Nodes are called `demo-controlplane-1`, `demo-worker-1`. */
  readonly name?: string;
  /** Gives each node a pace of its own, always the same for the same number; default all have one pace. */
  readonly seed?: number;
  /** When it is made, in milliseconds since 1970; default the next full hour, so that certificates made with this machine's clock are valid. */
  readonly start?: number;
  /** How long the parts of a node's life take; default 20 s for a reboot with an installation. */
  readonly pace?: Partial<Pace>;
}

/** What is different in one node. */
export interface DifferentNode {
  /** Version it runs, with `v`; default that of the others. */
  readonly version?: string;
  /** What starts it; default systemd-boot. */
  readonly bootLoader?: LoaderKind;
}
