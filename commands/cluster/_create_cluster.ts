/** Shared by commands that create local clusters: version check, rows and final notes. */

import type { OsconfigLocation } from "../../config/osconfig/location.ts";
import { readOsconfig } from "../../config/osconfig/osconfig_file.ts";
import { ConfigError, LockedError } from "../../errors.ts";
import {
  type ClusterAccess,
  type ClusterLocation,
  type CreateOptions,
  type LocalNode,
  readState,
} from "../../provisioners/mod.ts";
import { kubernetesProblem } from "../../config/kubernetes_range.ts";
import { formatCount } from "../../lib/text/count.ts";
import { type Context, textual, type View } from "../_kit/mod.ts";
import {
  addContext,
  type ClusterInputs,
  clusterInputs,
  findOsconfigPath,
} from "./_cluster.ts";
import { nodeTable } from "./_node_table.ts";
import { reportPhases } from "./_phases.ts";

/** A created cluster. */
export interface CreatedRow {
  readonly name: string;
  /** `host:port` or host of each control plane. */
  readonly endpoints: readonly string[];
  readonly nodes: readonly string[];
  /** Machines, control planes first; CPUs in billionths, sizes in bytes. */
  readonly machines: readonly LocalNode[];
  /** Client configuration with the new context. */
  readonly osconfig: string;
  /** Context added to it; omitted for none. */
  readonly context?: string;
}

/** The node table, and the location of the context. */
export const createdView: View<CreatedRow> = textual((row, _, columns) =>
  `${nodeTable(row.machines, { columns })}
Cluster "${row.name}" is ready: ${formatCount(row.nodes.length, "node")}${
    row.context === undefined
      ? ""
      : `; context "${row.context}" in ${row.osconfig}`
  }
`
);

interface Creation {
  readonly place: ClusterLocation;
  /** Client configuration for its context. */
  readonly osconfig: OsconfigLocation;
  /** Creates the nodes with a provisioner. */
  readonly create: (options: CreateOptions) => Promise<ClusterAccess>;
  /** False if the client has no access to the nodes. Default true. */
  readonly addsContext?: boolean;
  /** Runs before the context is added. */
  readonly prepare?: (access: ClusterAccess) => Promise<void>;
  /** Makes the running nodes a cluster. */
  readonly bringUp?: (access: ClusterAccess) => Promise<void>;
}

/** Suggests the next two commands; `hasContext`: false if the first is not possible. */
export function sayNext(
  name: string,
  { note }: Pick<Context<unknown>, "note">,
  hasContext = true,
): void {
  const which = name === clusterInputs.name.initial ? "" : ` --name ${name}`;
  if (hasContext) note("hint: Check it with: osctl health");
  note(`hint: Destroy it with: osctl cluster destroy${which}`);
}

/** Creates a cluster and adds its context; if that fails, notes what is left. */
export async function createCluster(
  context: Context<ClusterInputs & { readonly waitTimeout: number }>,
  { place, osconfig, addsContext = true, create, prepare, bringUp }: Creation,
): Promise<CreatedRow> {
  const { input, signal, note } = context;
  const { path } = osconfig;
  let name: string | undefined;
  try {
    const { endpoints, nodes } = await create({
      waitMs: input.waitTimeout,
      signal,
      osconfig: path,
      progress: reportPhases(context),
      async bringUp(access) {
        await prepare?.(access);
        if (addsContext) {
          name = await addContext(osconfig, input.name, access);
        }
        await bringUp?.(access);
      },
    });
    const machines = (await readState(place))?.clusterinfo.nodes ?? [];
    const found = { name: input.name, endpoints, nodes, machines };
    const added = addsContext ? { context: name ?? input.name } : {};
    return { ...found, osconfig: path, ...added };
  } catch (error) {
    await noteUnfinished(error, place, note);
    throw error;
  }
}

/** Reports leftovers of an interrupted or failed creation, but not those of another process. */
async function noteUnfinished(
  error: unknown,
  place: ClusterLocation,
  note: (text: string) => void,
): Promise<void> {
  if (error instanceof LockedError) return;
  const phase = (await readState(place).catch(() => undefined))?.phase;
  if (phase === undefined) return;
  const { name } = place;
  note(
    `Cluster "${name}" is unfinished: it stopped while ${phase}; to continue, repeat the command; to remove it: osctl cluster destroy --name ${name}`,
  );
}

/** Locates the client configuration for a context; an unreadable one is reported before anything is created. */
export async function readableOsconfig(
  path: string | undefined,
  { globals, environment }: Context<unknown>,
): Promise<OsconfigLocation> {
  const osconfig = await findOsconfigPath(
    path ?? globals.osconfig,
    environment,
  );
  await readOsconfig(osconfig.path);
  return osconfig;
}

/**
 * Parses a Kubernetes version.
 *
 * @param version As typed, with or without its v.
 * @param system Version of Talos.
 * @param hint Next step if Talos does not support it.
 * @returns The version without its v.
 * @throws {ConfigError} If it is invalid, or Talos does not support it.
 */
export function parseKubernetes(
  version: string,
  system: string,
  hint: string,
): string {
  const bare = version.replace(/^v/, "");
  if (!/^\d+\.\d+\.\d+([-+][\w.+-]+)?$/.test(bare)) {
    throw new ConfigError(
      `Invalid value "${version}" for --kubernetes-version`,
      { hint: "Give a version such as 1.34.1" },
    );
  }
  const problem = kubernetesProblem(`v${bare}`, system);
  if (problem !== undefined) throw new ConfigError(problem, { hint });
  return bare;
}
