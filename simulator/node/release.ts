/** Versions of the software on simulated nodes. */

import { defaultRelease } from "../../dialect.ts";

/** What a node says about the operating system it runs. */
export interface Release {
  /** Version with leading `v`. */
  readonly tag: string;
  /** Commit it was built from, eight hexadecimal digits. */
  readonly sha: string;
  /** Compiler version. */
  readonly goVersion: string;
  /** Processor architecture: `amd64`, `arm64`. */
  readonly arch: string;
  /** Version of the kernel. */
  readonly kernel: string;
  /** Version of containerd, without `v`. */
  readonly containerd: string;
  /** Version of etcd with leading `v`. */
  readonly etcd: string;
}

/** Release of nodes that nobody asked anything else of. */
export const defaultVersions: Release = {
  tag: defaultRelease,
  sha: "5f2c31d8",
  goVersion: "go1.25.9",
  arch: "amd64",
  kernel: "6.18.42",
  containerd: "2.2.5",
  etcd: "v3.6.11",
};

/** Kubernetes of nodes that nobody asked anything else of, without `v`. */
export const defaultKubernetes = "1.34.1";
