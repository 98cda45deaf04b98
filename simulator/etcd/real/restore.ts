/** Fills the data directory of a real etcd from a snapshot. */

import { EtcdError, nothingUploaded } from "../etcd_error.ts";

/** What is restored. */
export interface RestoreSpec {
  /** Program that does it, `etcdutl` or `etcdctl`; `undefined` when none is installed. */
  readonly program: string | undefined;
  /** The snapshot; gone afterwards. */
  readonly upload: string;
  /** Data directory; must not exist. */
  readonly data: string;
  /** Name of the only member. */
  readonly name: string;
  /** Where other members will reach it. */
  readonly peerUrl: string;
  /** True when the snapshot's SHA-256 sum does not matter. */
  readonly skipHashCheck: boolean;
}

/**
 * Restores a snapshot.
 *
 * @throws {EtcdError} When there is none, or it is not what its sum says.
 */
export async function restoreSnapshot(
  { program, upload, data, name, peerUrl, skipHashCheck }: RestoreSpec,
): Promise<void> {
  await checkPresence(upload);
  if (program === undefined) {
    throw new EtcdError("neither etcdutl nor etcdctl is installed");
  }
  const flags = {
    "name": name,
    "data-dir": data,
    "initial-cluster": `${name}=${peerUrl}`,
    "initial-advertise-peer-urls": peerUrl,
    "skip-hash-check": String(skipHashCheck),
  };
  const args = ["snapshot", "restore", upload];
  args.push(
    ...Object.entries(flags).map(([key, value]) => `--${key}=${value}`),
  );
  const command = new Deno.Command(program, {
    args,
    env: { ETCDCTL_API: "3" },
    stdin: "null",
  });
  const { success, stderr } = await command.output();
  if (success) return await Deno.remove(upload);
  await Deno.remove(data, { recursive: true }).catch(() => {});
  const said = new TextDecoder().decode(stderr).trim().split("\n");
  const why = said.at(-1)?.replace(/^Error: /, "") ?? "";
  throw new EtcdError(`error recovering from the snapshot: ${why}`);
}

async function checkPresence(path: string): Promise<void> {
  try {
    await Deno.stat(path);
  } catch (error) {
    throw error instanceof Deno.errors.NotFound ? nothingUploaded() : error;
  }
}
