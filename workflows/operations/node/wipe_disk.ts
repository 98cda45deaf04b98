/** Wipes disks and partitions that are not volumes of the node. */

import { domain } from "../../../talos.ts";
import { OsctlError, RefusedError, RpcError } from "../../../errors.ts";
import { single } from "../../../transport/call/reply.ts";
import {
  BlockDeviceWipeDescriptor_Method as Method,
} from "../../../transport/gen/storage.ts";
import type {
  NodeContext,
  Operation,
  Reconciled,
  Verdict,
} from "../operation.ts";
import { readSpecs, type Spec } from "../../../transport/node/read_resource.ts";
import { flagProblem } from "../../../lib/version.ts";
import { type LookResult, untilSeen } from "../poll.ts";

/** Input of `wipe disk`. */
export type WipeDiskInput = {
  /** Device names without path: `vda`, `sda5`. */
  readonly devices: readonly string[];
  /** `FAST` removes signatures, `ZEROES` overwrites everything. */
  readonly method: "FAST" | "ZEROES";
  /** True to delete the partitions, too. */
  readonly dropPartition: boolean;
  readonly skipVolumeCheck: boolean;
  /** True to wipe devices used by others as well. */
  readonly skipSecondaryCheck: boolean;
};

interface WipeDiskSeen {
  /** Contents of each device, for users; in the order of the devices. */
  readonly losses: readonly string[];
  /** Contents that must be gone afterwards, one line each. */
  readonly marks: readonly string[];
  /** False when the node does not show contents. */
  readonly readable: boolean;
}

type WipeDiskKey = Pick<WipeDiskSeen, "marks" | "readable">;

/** `wipe disk`. Source: `StorageService.BlockDeviceWipe`, resource `DiscoveredVolumes`. */
export const wipeDisk: Operation<WipeDiskInput, WipeDiskSeen, WipeDiskKey> = {
  name: "wipe disk",
  effect: "destroy",
  idempotency: "converge",
  quorum: () => "none",
  observe,
  plan: ({ losses }, { devices }) =>
    devices.map((device, index) => ({
      action: `wipe ${device}`,
      loses: losses[index] ?? device,
    })),
  key: ({ marks, readable }) => ({ marks, readable }),
  async *apply({ client, signal }, input) {
    const { devices, method, ...rest } = input;
    yield { text: `wiping ${devices.join(", ")}` };
    const wiped = devices.map((device) => ({
      device,
      method: Method[method],
      ...rest,
    }));
    await client.storage.blockDeviceWipe(
      { devices: wiped },
      { signal, deadlineMs: 0 },
    );
  },
  async reconcile(context, input, key): Promise<Reconciled> {
    const left = await marksLeft(context, input, key);
    if (left === undefined) return "unknown";
    // An empty device looks the same before and after.
    if (left.length === 0 && key.marks.length > 0) return "done";
    return left.length === key.marks.length ? "not-started" : "in-progress";
  },
  verify: (context, input, key) =>
    untilSeen(context, async (): Promise<LookResult> => {
      const left = await marksLeft(context, input, key);
      if (left === undefined) return { verdict: unseen };
      if (left.length > 0) return { missing: `still there: ${left[0]}` };
      const reason = `wiped ${input.devices.join(", ")}`;
      return { verdict: { outcome: "done", reason } };
    }),
};

/** Verdict for what the node does not show. */
export const unseen: Verdict = {
  outcome: "accepted",
  reason: "accepted by the node, which does not report what is on its disks",
};

async function observe(
  { client }: Pick<NodeContext, "client">,
  input: WipeDiskInput,
): Promise<WipeDiskSeen> {
  await checkVersion(client, input);
  const volumes = await readSpecs(client, place);
  const { devices } = input;
  if (volumes === undefined) {
    const losses = devices.map((device) =>
      `${device}: everything (the node does not report what is there)`
    );
    return { losses, marks: [], readable: false };
  }
  const absent = devices.find((device) => !volumes.has(device));
  if (absent !== undefined) {
    throw new OsctlError(`Cannot wipe "${absent}": there is no such device`, {
      hint: "List them with: osctl get discoveredvolumes",
    });
  }
  return {
    losses: devices.map((device) => formatLoss(device, volumes)),
    marks: devices.flatMap((device) => listMarks(device, input, volumes)),
    readable: true,
  };
}

/**
 * Refuses flags that an older node would silently ignore. A node without a configuration may not report its version;
 * it is assumed to support them.
 */
async function checkVersion(
  client: NodeContext["client"],
  { dropPartition, skipSecondaryCheck }: WipeDiskInput,
): Promise<void> {
  if (!dropPartition && !skipSecondaryCheck) return;
  const version = await readVersion(client);
  const problem =
    (dropPartition && flagProblem("--drop-partition", 10, version)) ||
    (skipSecondaryCheck && flagProblem("--skip-secondary-check", 11, version));
  if (problem) throw new RefusedError(problem);
}

/** Version of a node; empty if one without a configuration does not report it. */
export async function readVersion(
  client: NodeContext["client"],
): Promise<string> {
  try {
    const { messages } = await client.machine.version({});
    return single(messages).version?.tag ?? "";
  } catch (error) {
    if (error instanceof RpcError && error.code === "UNIMPLEMENTED") return "";
    throw error;
  }
}

/** Resource with the discovered contents of disks. */
const place = {
  namespace: "runtime",
  type: `DiscoveredVolumes.block.${domain}`,
};

type Volumes = ReadonlyMap<string, Spec>;

/** Size and contents of a device: `vdb: disk of 10 GB, gpt, with vdb1 (xfs "data", 10 GB)`. */
function formatLoss(device: string, volumes: Volumes): string {
  const volume = volumes.get(device) ?? {};
  const parts = [...volumes].filter(([, { parent }]) => parent === device)
    .map(([id, spec]) => `${id} (${formatContent(spec)}, ${formatSize(spec)})`);
  const { type } = volume;
  const kind = typeof type === "string" && type !== "" ? type : "device";
  const within = parts.length === 0 ? "" : `, with ${parts.join(", ")}`;
  return `${device}: ${kind} of ${formatSize(volume)}, ${
    formatContent(volume)
  }${within}`;
}

function formatContent({ name, label, partition_label }: Spec): string {
  const title = label || partition_label;
  return `${name || "nothing known"}${title ? ` "${title}"` : ""}`;
}

function formatSize({ pretty_size, size }: Spec): string {
  return String(pretty_size ?? `${size ?? "unknown"} bytes`);
}

/**
 * Contents that show that a device has not been wiped; later contents differ. Excludes partitions of a wiped disk: a
 * kernel may list them until the next boot.
 */
function listMarks(
  device: string,
  { dropPartition }: WipeDiskInput,
  volumes: Volumes,
): readonly string[] {
  const volume = volumes.get(device);
  if (volume === undefined) return [];
  const { name, uuid, type, partition_uuid } = volume;
  const marks: string[] = [];
  if (name) marks.push(`${device} ${name} ${uuid ?? ""}`);
  if (dropPartition && type === "partition") {
    marks.push(`partition ${device} ${partition_uuid ?? ""}`);
  }
  return marks.map((mark) => mark.trimEnd());
}

/** Contents that still exist; `undefined` if unknown. */
async function marksLeft(
  context: NodeContext,
  input: WipeDiskInput,
  { marks, readable }: WipeDiskKey,
): Promise<readonly string[] | undefined> {
  if (!readable) return undefined;
  const volumes = await readSpecs(context.client, place);
  if (volumes === undefined) return undefined;
  const now = new Set(
    input.devices.flatMap((device) => listMarks(device, input, volumes)),
  );
  return marks.filter((mark) => now.has(mark));
}
