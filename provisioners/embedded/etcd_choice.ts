/** What the control planes of a simulated cluster run as etcd. */

import { findEtcd, requireEtcd } from "../../simulator/etcd/real/program.ts";

/** What users can ask for. */
export const etcdKinds = ["auto", "model", "real"] as const;

type EtcdKind = (typeof etcdKinds)[number];

/** What is run: a model of etcd, or a program. */
export type EtcdChoice =
  | "model"
  | {
    /** Path or name of the program. */
    readonly program: string;
  };

/** What a choice follows from. */
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
 * Chooses what to run; by itself the real one where it is installed. Throws `ConfigError` when the
 * real one is wanted and cannot be run.
 */
export async function chooseEtcd(
  { kind, program = "etcd", controlplanes, os = Deno.build.os }: EtcdRequest,
): Promise<EtcdChoice> {
  if (kind === "real") {
    await requireEtcd(program);
    return { program };
  }
  // The process that ends etcd with the cluster is a shell's.
  const isPossible = os !== "windows" && controlplanes <= mostMembers;
  if (kind === "model" || !isPossible) return "model";
  return await findEtcd(program) ? { program } : "model";
}
