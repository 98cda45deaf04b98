/** Choice of etcd for the control planes of a simulated cluster. */

import { findEtcd, requireEtcd } from "../../simulator/etcd/real/program.ts";

/** Values of the flag. */
export const etcdKinds = ["auto", "model", "real"] as const;

type EtcdKind = (typeof etcdKinds)[number];

/** etcd to run: a model, or a program. */
export type EtcdChoice =
  | "model"
  | {
    /** Path or name of the program. */
    readonly program: string;
  };

/** Input of the choice. */
export interface EtcdRequest {
  readonly kind: EtcdKind;
  /** Path or name of the program; default `etcd`. */
  readonly program?: string | undefined;
  readonly controlplanes: number;
  /** Operating system; default this machine's. */
  readonly os?: string;
}

const mostMembers = 7;

/**
 * Chooses the etcd to run; by default the real one if installed. Throws `ConfigError` if the real one is
 * requested and cannot run.
 */
export async function chooseEtcd(
  { kind, program = "etcd", controlplanes, os = Deno.build.os }: EtcdRequest,
): Promise<EtcdChoice> {
  if (kind === "real") {
    await requireEtcd(program);
    return { program };
  }
  // A shell process stops etcd with the cluster.
  const isPossible = os !== "windows" && controlplanes <= mostMembers;
  if (kind === "model" || !isPossible) return "model";
  return await findEtcd(program) ? { program } : "model";
}
