import { ConfigError } from "../errors.ts";
import type { ChangeEnvironment } from "../workflows/operations/change.ts";
import { verifySnapshot } from "../workflows/etcd/snapshot/verify.ts";
import {
  bootstrap,
  type BootstrapInput,
} from "../workflows/operations/etcd/bootstrap.ts";
import {
  type AnyCommand,
  strings,
  text,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { type Change, changing, operateInputs } from "./_kit/operate.ts";

const inputs = {
  recoverFrom: text("etcd snapshot to recover from", { complete: "files" }),
  recoverSkipHashCheck: toggle(
    "accept a copy of the etcd data directory, which has no checksum",
  ),
  controlPlanes: strings(
    "further control planes that must not run etcd; those of the cluster are asked anyway",
    { shown: "none" },
  ),
  force: toggle("bootstrap even if another control plane may run etcd", {
    short: "f",
  }),
  ...operateInputs,
};

type BootstrapInputs = Values<typeof inputs>;

export const change = {
  operation: bootstrap,
  prepare: async (values, environment) => ({
    input: await prepareInput(values, environment),
  }),
  oneNode: true,
} satisfies Change<BootstrapInputs>;

export const command: AnyCommand = {
  summary: "Bootstrap etcd on one control plane",
  description:
    `Run this once per cluster, on one control plane; the others join by themselves. Refused if another control plane
runs etcd or does not answer. Does nothing, with status 0, if etcd already runs on the node.

With --recover-from, etcd starts from a snapshot, which is verified before it is sent.`,
  inputs,
  examples: [
    "bootstrap --nodes 10.0.0.2",
    "bootstrap --nodes 10.0.0.2 --recover-from db.snapshot",
  ],
  ...changing,
};

async function prepareInput(
  { recoverFrom, recoverSkipHashCheck: skipHashCheck, force, controlPlanes }:
    BootstrapInputs,
  { signal, note }: ChangeEnvironment,
): Promise<BootstrapInput> {
  if (recoverFrom === undefined) {
    return {
      ...{ recoverFrom: null, hash: null, skipHashCheck, force },
      controlPlanes,
    };
  }
  const status = await verifySnapshot(recoverFrom, signal);
  const { hash, revision, totalKeys, totalSize, trailer } = status;
  if (trailer === "absent" && !skipHashCheck) {
    throw new ConfigError(
      `Cannot recover from "${recoverFrom}": it has no SHA-256 at its end`,
      {
        hint:
          "If it is a copy of an etcd data directory, pass --recover-skip-hash-check",
      },
    );
  }
  note(
    `recovering from snapshot "${recoverFrom}": hash ${hash}, revision ${revision}, total keys ${
      totalKeys ?? "unknown"
    }, total size ${totalSize}`,
  );
  return { recoverFrom, hash, skipHashCheck, force, controlPlanes };
}
