import { domain } from "../../../talos.ts";
import { OsctlError, RefusedError } from "../../../errors.ts";
import { single } from "../../../transport/call/reply.ts";
import { ResetRequest_WipeMode as WipeMode } from "../../../transport/gen/machine_power.ts";
import {
  type BootKey,
  observeBoot,
  reconcileStages,
  refuseDuringSequence,
} from "../boot_key.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";
import type {
  Attempt,
  NodeContext,
  Operation,
  OperationProgress,
  PlannedAction,
  Reconciled,
  Verdict,
} from "../operation.ts";
import { ifAvailable } from "../poll.ts";
import {
  readSpec,
  readSpecs,
  type Spec,
} from "../../../transport/node/read_resource.ts";
import { untilBegun } from "../wait_begun.ts";
import { untilOff, untilWiped } from "../wait_off.ts";
import { askUnconfigured } from "../wait_ready.ts";

type WipeScope = "all" | "system-disk" | "user-disks";

/** Input of `reset`. */
export type ResetInput = {
  /** True to drain the node and leave etcd first. */
  readonly graceful: boolean;
  /** False to power off afterwards. */
  readonly reboot: boolean;
  readonly scope: WipeScope;
  /** Paths of disks to wipe besides the system disk: `/dev/sdb`. */
  readonly userDisks: readonly string[];
  /** Partitions of the system disk; empty for all of it. */
  readonly labels: readonly string[];
  /** True for a node without a configuration. */
  readonly insecure: boolean;
};

/** UUIDs of partitions by label. */
type PartitionIds = Readonly<Record<string, string>>;

type ResetKey = BootKey & {
  /** Partitions to wipe: a wipe drops them, and the next boot creates others. Omitted if the node reports none. */
  readonly partitions?: PartitionIds;
  /** Id of the node's etcd member, 16 hexadecimal digits; omitted if it has none. */
  readonly member?: string;
};

/** State of the node and data to lose. */
export interface ResetSeen extends MachineState {
  /** Id of its etcd member; omitted if it has none. */
  readonly member?: string;
  /** Path of the system disk; `undefined` if the node does not report it. */
  readonly systemDisk: string | undefined;
  readonly partitions: readonly string[];
  /** Other volumes that can be wiped by name. */
  readonly volumes: readonly string[];
  /** UUIDs of the partitions among them. */
  readonly partitionIds: PartitionIds;
}

const scopes = {
  all: WipeMode.ALL,
  "system-disk": WipeMode.SYSTEM_DISK,
  "user-disks": WipeMode.USER_DISKS,
} as const;

/** Timeout for the request, in milliseconds. */
const deadlineMs = 30_000;

/** `reset`. Source: `MachineService.Reset`. */
export const reset: Operation<ResetInput, ResetSeen, ResetKey> = {
  name: "reset",
  effect: "destroy",
  rolling: true,
  idempotency: "keyed",
  quorum(input) {
    if (input.insecure) return "none";
    if (input.graceful) {
      return input.reboot && !wipesConfiguration(input)
        ? "leaves-and-rejoins"
        : "leaves-forever";
    }
    return wipesEtcd(input) ? "dies" : "leaves-temporarily";
  },
  async observe(context, { insecure }) {
    const { client } = context;
    const place = { namespace: "runtime" };
    const [state, member, disk, discovered, volumes] = await Promise.all([
      observeBoot(context),
      insecure ? undefined : readMember(context),
      readSpec(client, {
        ...place,
        type: `SystemDisks.block.${domain}`,
        id: "system-disk",
      }),
      readSpecs(client, {
        ...place,
        type: `DiscoveredVolumes.block.${domain}`,
      }),
      readSpecs(client, volumeStatuses),
    ]);
    return {
      ...state,
      ...(member === undefined ? {} : { member }),
      systemDisk: typeof disk?.devPath === "string" ? disk.devPath : undefined,
      partitions: [...discovered?.values() ?? []].flatMap((
        { parent, partition_label: label },
      ) => parent === disk?.diskID && typeof label === "string" ? [label] : []),
      volumes: [...volumes?.keys() ?? []],
      partitionIds: readIds(volumes),
    };
  },
  plan,
  key: ({ bootId, member, partitionIds }, { labels }) => ({
    bootId: bootId ?? null,
    ...(member === undefined ? {} : { member }),
    partitions: Object.fromEntries(
      Object.entries(partitionIds).filter(([label]) => labels.includes(label)),
    ),
  }),
  apply: (context, input, { bootId }) =>
    untilBegun(context, {
      stage,
      bootId: bootId ?? undefined,
      ask: () => send(context, input),
    }),
  reconcile: reconcileReset,
  verify(context, input, key) {
    const { bootId, member } = key;
    const wait = input.reboot ? untilWiped : untilOff;
    const left = {
      bootId: bootId ?? undefined,
      losesConfiguration: wipesConfiguration(input),
      isWiped: () => wasWiped(context, key),
    };
    return warnOfLeftovers(context, member, wait(context, left));
  },
};

const stage = "resetting";

/** Sends the request; returns its actor id in the node's events. */
async function send(
  { client }: NodeContext,
  { graceful, reboot, scope, userDisks, labels }: ResetInput,
): Promise<string> {
  const { messages } = await client.machine.reset({
    graceful,
    reboot,
    mode: scopes[scope],
    userDisksToWipe: [...userDisks],
    systemPartitionsToWipe: labels.map((label) => ({ label, wipe: true })),
  }, { deadlineMs });
  return single(messages).actorId;
}

/**
 * A node that has lost its configuration was wiped, and so was one with other partitions; no answer and another boot may
 * have other reasons.
 */
async function reconcileReset(
  context: NodeContext,
  input: ResetInput,
  key: ResetKey,
  attempt?: Attempt,
): Promise<Reconciled> {
  const isWiped = async () =>
    wipesConfiguration(input) && "version" in await askUnconfigured(context);
  if (!attempt?.unsent && await isWiped()) return "in-progress";
  const found = await reconcileStages(context, key, attempt, async (found) => {
    if (attempt?.acknowledged) return "in-progress";
    if (found === "another boot") {
      if (Object.keys(key.partitions ?? {}).length === 0) return "unknown";
      const wiped = await wasWiped(context, key);
      if (wiped === undefined) return undefined;
      return wiped ? "in-progress" : "unknown";
    }
    return found !== "silent" && found.stage === stage
      ? "in-progress"
      : undefined;
  });
  return found === "unknown" && await isWiped() ? "in-progress" : found;
}

const volumeStatuses = {
  namespace: "runtime",
  type: `VolumeStatuses.block.${domain}`,
};

function readIds(volumes: ReadonlyMap<string, Spec> | undefined): PartitionIds {
  return Object.fromEntries(
    [...volumes ?? []].flatMap(([label, { partitionUUID: id }]) =>
      typeof id === "string" && id !== "" ? [[label, id]] : []
    ),
  );
}

/**
 * Reports whether all partitions of a node that has booted again are others; `undefined` while it has not created them,
 * and if they were not known before.
 */
async function wasWiped(
  { client }: Pick<NodeContext, "client">,
  { partitions = {} }: ResetKey,
): Promise<boolean | undefined> {
  const before = Object.entries(partitions);
  if (before.length === 0) return undefined;
  const now = readIds(
    await ifAvailable(() => readSpecs(client, volumeStatuses)),
  );
  if (before.some(([label]) => now[label] === undefined)) return undefined;
  return before.every(([label, id]) => now[label] !== id);
}

function wipesConfiguration({ scope, labels }: ResetInput): boolean {
  if (scope === "user-disks") return false;
  return labels.length === 0 || labels.includes("STATE");
}

function wipesEtcd({ scope, labels }: ResetInput): boolean {
  if (scope === "user-disks") return false;
  return labels.length === 0 || labels.includes("EPHEMERAL");
}

function plan(
  seen: ResetSeen,
  { scope, labels, userDisks }: ResetInput,
): readonly PlannedAction[] {
  refuseDuringSequence(seen);
  const disks = userDisks.map((path) => ({
    action: `wipe ${path}`,
    loses: `everything on ${path}`,
  }));
  if (scope === "user-disks") return disks;
  if (labels.length > 0) {
    checkLabels(labels, seen);
    return [...labels.map(wipe), ...disks];
  }
  const { systemDisk = "the system disk", partitions } = seen;
  const content = partitions.length === 0 ? "" : ` (${partitions.join(", ")})`;
  return [{
    action: `wipe ${systemDisk}`,
    loses: `everything on ${systemDisk}${content}`,
  }, ...disks];
}

function wipe(label: string): PlannedAction {
  const content = contents[label];
  const loses = content === undefined ? label : `${label} (${content})`;
  return { action: `wipe ${label}`, loses };
}

const contents: Readonly<Record<string, string>> = {
  EFI: "boot loader and system images",
  BOOT: "boot loader and system images",
  META: "values kept across installations",
  STATE: "configuration",
  EPHEMERAL: "etcd, images and data of pods",
};

/** Checks early what the node would refuse, before anything is sent. */
function checkLabels(
  labels: readonly string[],
  { partitions, volumes }: ResetSeen,
): void {
  const known = [...new Set([...partitions, ...volumes])];
  const unknown = labels.filter((label) => !known.includes(label));
  if (known.length === 0 || unknown.length === 0) return;
  throw new RefusedError(
    `The node has no partition ${
      unknown.map((label) => `"${label}"`).join(", ")
    }, only ${known.join(", ")}`,
  );
}

/** Reads the etcd member of a node; `undefined` for a worker, and if no node reports it. */
export async function readMember(
  { node, cluster }: Pick<NodeContext, "node" | "cluster">,
): Promise<string | undefined> {
  try {
    if (await cluster.readRole(node) === "worker") return undefined;
    return (await cluster.readEtcd()).memberOf.get(node);
  } catch (error) {
    if (error instanceof OsctlError) return undefined;
    throw error;
  }
}

/** Passes on a wait, and adds a warning to its result when the member stays in the list. */
export async function* warnOfLeftovers(
  { cluster }: Pick<NodeContext, "cluster">,
  member: string | undefined,
  wait: AsyncGenerator<OperationProgress, Verdict>,
): AsyncGenerator<OperationProgress, Verdict> {
  const verdict = yield* wait;
  if (verdict.outcome !== "done" || member === undefined) return verdict;
  try {
    const { members, healthy } = (await cluster.readEtcd()).facts;
    const isLeft = members.some(({ id }) => id === member) &&
      !healthy.includes(member);
    if (!isLeft) return verdict;
    const reason =
      `${verdict.reason}; etcd still lists its member, remove it with: osctl etcd remove-member ${member}`;
    return { ...verdict, reason };
  } catch (error) {
    if (error instanceof OsctlError) return verdict;
    throw error;
  }
}
