/** Removes LVM objects and software RAID arrays. */

import { domain } from "../../../talos.ts";
import { OsctlError, RefusedError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { readSpecs, type Spec } from "../../../transport/node/read_resource.ts";
import { flagProblem } from "../../../lib/version.ts";
import type { Operation, Reconciled } from "../operation.ts";
import { confirmOutcome, type LookResult, untilSeen } from "../poll.ts";
import { readVersion, unseen } from "./wipe_disk.ts";

/** What can be removed: a logical volume, volume group, physical volume, or array. */
export type VolumeKind = "lv" | "vg" | "pv" | "md";

/** Input of `wipe lv|vg|pv|md`. */
export type WipeVolumeInput = {
  /** `VG/LV`, the name of a group, or the path of a device. */
  readonly name: string;
};

interface WipeVolumeSeen {
  /** Contents, for users. */
  readonly loss: string;
  /** UUID of the object; empty if the node does not list it. */
  readonly uuid: string;
}

type WipeVolumeKey = Pick<WipeVolumeSeen, "uuid">;

interface KindFacts {
  /** `physical volume`. */
  readonly title: string;
  /** Resource type without its domain, and its name for `get`. */
  readonly type: string;
  readonly alias: string;
  /** Name of an object, as typed. */
  readonly readName: (spec: Spec) => unknown;
  /** Properties of an object, for users. */
  readonly describe: (spec: Spec) => readonly unknown[];
  readonly remove: (
    client: NodeClient,
    name: string,
    options: { readonly signal: AbortSignal; readonly deadlineMs: number },
  ) => Promise<unknown>;
}

const kinds: Readonly<Record<VolumeKind, KindFacts>> = {
  lv: {
    title: "logical volume",
    type: "LVMLogicalVolumeStatuses.storage",
    alias: "lvs",
    readName: ({ fullName }) => fullName,
    describe: ({ prettySize, layout }) => [prettySize, layout],
    remove({ lvm }, name, options) {
      const [volumeGroup = "", logicalVolume = ""] = name.split("/");
      return lvm.logicalVolumeRemove({ volumeGroup, logicalVolume }, options);
    },
  },
  vg: {
    title: "volume group",
    type: "LVMVolumeGroupStatuses.storage",
    alias: "vgs",
    readName: ({ name }) => name,
    describe: ({ prettySize, lvCount }) => [
      prettySize,
      `with all its ${lvCount} logical volumes`,
    ],
    remove: ({ lvm }, volumeGroup, options) =>
      lvm.volumeGroupRemove({ volumeGroup }, options),
  },
  pv: {
    title: "physical volume",
    type: "LVMPhysicalVolumeStatuses.storage",
    alias: "pvs",
    readName: ({ device }) => device,
    describe: ({ prettySize, vgName }) => [
      prettySize,
      vgName ? `of group ${vgName}` : "in no group",
    ],
    remove: ({ lvm }, device, options) =>
      lvm.physicalVolumeRemove({ device }, options),
  },
  md: {
    title: "array",
    type: "MDArrayStatuses.storage",
    alias: "mdarraystatuses",
    readName: ({ device }) => device,
    describe: ({ level, members }) => [
      level,
      Array.isArray(members) && `of ${members.join(", ")}`,
    ],
    remove: ({ md }, device, options) => md.destroy({ device }, options),
  },
};

type WipeVolume = Operation<WipeVolumeInput, WipeVolumeSeen, WipeVolumeKey>;

/** `wipe lv|vg|pv|md`. Source: `LVMService`, `MDService`, resources of the namespace `storage`. */
export const wipeVolumes: Readonly<Record<VolumeKind, WipeVolume>> = {
  lv: wipeVolume("lv"),
  vg: wipeVolume("vg"),
  pv: wipeVolume("pv"),
  md: wipeVolume("md"),
};

function wipeVolume(kind: VolumeKind): WipeVolume {
  const command = `wipe ${kind}`;
  const { title, alias, remove, ...facts } = kinds[kind];
  const list = (client: NodeClient) =>
    readSpecs(client, {
      namespace: "storage",
      type: `${facts.type}.${domain}`,
    });
  /** Compares UUIDs, not names: a node creates configured objects again. */
  const isGone = async (client: NodeClient, uuid: string) =>
    ![...await list(client) ?? []].some(([, spec]) => spec.uuid === uuid);
  return {
    name: command,
    effect: "destroy",
    idempotency: "converge",
    quorum: () => "none",
    async observe({ client }, { name }) {
      const problem = flagProblem(command, 14, await readVersion(client));
      if (problem) throw new RefusedError(problem);
      const all = [...await list(client) ?? []].map(([, spec]) => spec);
      const found = all.find((spec) => facts.readName(spec) === name);
      if (found === undefined && !name.startsWith("/dev/")) {
        throw new OsctlError(`There is no ${title} "${name}"`, {
          hint: `List them with: osctl get ${alias}`,
        });
      }
      const about = found
        ? facts.describe(found).filter(Boolean).join(", ")
        : `everything (the node lists no such ${title})`;
      return {
        loss: `${title} ${name}: ${about}`,
        uuid: String(found?.uuid ?? ""),
      };
    },
    plan: ({ loss }, { name }) => [
      { action: `remove ${title} ${name}`, loses: loss },
    ],
    key: ({ uuid }) => ({ uuid }),
    async *apply({ client, signal }, { name }) {
      yield { text: `removing ${title} ${name}` };
      await remove(client, name, { signal, deadlineMs: 0 });
    },
    reconcile: async (context, _, { uuid }): Promise<Reconciled> =>
      uuid === ""
        ? "unknown"
        : await confirmOutcome(context, () => isGone(context.client, uuid)),
    verify: (context, { name }, { uuid }) =>
      untilSeen(context, async (): Promise<LookResult> => {
        if (uuid === "") return { verdict: unseen };
        if (!await isGone(context.client, uuid)) {
          return { missing: `${title} ${name} is still there` };
        }
        const reason = `removed ${title} ${name}`;
        return { verdict: { outcome: "done", reason } };
      }),
  };
}
