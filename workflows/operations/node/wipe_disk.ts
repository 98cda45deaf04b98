/** Wiping disks and partitions that are not volumes of the node. */

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

/** What is asked for. */
export type WipeDiskInput = {
  /** Names of devices, without folder: `vda`, `sda5`. */
  readonly devices: readonly string[];
  /** `FAST` removes what tells what is there, `ZEROES` overwrites everything. */
  readonly method: "FAST" | "ZEROES";
  /** Whether partitions themselves are removed, too. */
  readonly dropPartition: boolean;
  /** Whether devices that are volumes are wiped as well. */
  readonly skipVolumeCheck: boolean;
  /** Whether devices that others are made of are wiped as well. */
  readonly skipSecondaryCheck: boolean;
};

interface WipeDiskSeen {
  /** What is on each device, for people; in the order of the devices. */
  readonly losses: readonly string[];
  /** Everything that is to be gone afterwards, one line each. */
  readonly marks: readonly string[];
  /** False when the node does not report what is there. */
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
  async reconcile(site, input, key): Promise<Reconciled> {
    const left = await marksLeft(site, input, key);
    if (left === undefined) return "unknown";
    // A device that was empty looks the same before and after.
    if (left.length === 0 && key.marks.length > 0) return "done";
    return left.length === key.marks.length ? "not-started" : "in-progress";
  },
  verify: (site, input, key) =>
    untilSeen(site, async (): Promise<LookResult> => {
      const left = await marksLeft(site, input, key);
      if (left === undefined) return { verdict: unseen };
      if (left.length > 0) return { missing: `still there: ${left[0]}` };
      const reason = `wiped ${input.devices.join(", ")}`;
      return { verdict: { outcome: "done", reason } };
    }),
};

const unseen: Verdict = {
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
 * Refuses what an older node would leave out without a word. A node without a configuration may not report its
 * version; it is then taken at its word.
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

async function readVersion(client: NodeContext["client"]): Promise<string> {
  try {
    const { messages } = await client.machine.version({});
    return single(messages).version?.tag ?? "";
  } catch (error) {
    if (error instanceof RpcError && error.code === "UNIMPLEMENTED") return "";
    throw error;
  }
}

/** Where the node shows what it finds on its disks. */
const place = {
  namespace: "runtime",
  type: `DiscoveredVolumes.block.${domain}`,
};

type Volumes = ReadonlyMap<string, Spec>;

/** Size and content of a device: `vdb: disk of 10 GB, gpt, with vdb1 (xfs "data", 10 GB)`. */
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
 * What tells that a device has not been wiped; other content that comes there later has other marks. Partitions of
 * a wiped disk are none of them: a kernel may know of them until the next boot.
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

/** Marks that are still there; `undefined` when that cannot be known. */
async function marksLeft(
  site: NodeContext,
  input: WipeDiskInput,
  { marks, readable }: WipeDiskKey,
): Promise<readonly string[] | undefined> {
  if (!readable) return undefined;
  const volumes = await readSpecs(site.client, place);
  if (volumes === undefined) return undefined;
  const now = new Set(
    input.devices.flatMap((device) => listMarks(device, input, volumes)),
  );
  return marks.filter((mark) => now.has(mark));
}
