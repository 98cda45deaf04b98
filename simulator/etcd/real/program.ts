import { ConfigError } from "../../../errors.ts";
import { EtcdError, noSnapshotError } from "../etcd_error.ts";

/** Programs that belong together. */
export interface EtcdPrograms {
  readonly server: string;
  /** Path or name of the program that restores snapshots; `undefined` if there is none. */
  readonly restorer: string | undefined;
  /** Version of the server: `3.4.23`. */
  readonly version: string;
}

/** Looks for etcd. Returns `undefined` if it cannot be run. */
export async function findEtcd(
  server = "etcd",
): Promise<EtcdPrograms | undefined> {
  const [said, ...restorers] = await Promise.all([
    output(server, ["--version"]),
    ...["etcdutl", "etcdctl"].flatMap((name) =>
      beside(server, name).map(async (program) => ({
        program,
        said: await output(program, ["version"]),
      }))
    ),
  ]);
  const [, version] = /etcd Version: (\S+)/.exec(said) ?? [];
  if (version === undefined) return undefined;
  const line = version.replace(/\.\d+$/, "");
  // A program of the same release supports the same data; older servers have no `etcdutl`.
  const found =
    restorers.find(({ said }) => said.includes(`version: ${line}.`)) ??
      restorers.find(({ said }) => said !== "");
  return { server, version, restorer: found?.program };
}

/** Looks for etcd. Throws ConfigError if it cannot be run. */
export async function requireEtcd(server?: string): Promise<EtcdPrograms> {
  const found = await findEtcd(server);
  if (found) return found;
  throw new ConfigError(
    `Cannot run "${server ?? "etcd"}": it is not installed, or it is not etcd`,
    { hint: "Install etcd, name it in OSCTL_ETCD, or use --etcd model" },
  );
}

/** Candidates: the same folder first, then `PATH`. */
function beside(server: string, name: string): readonly string[] {
  const slash = server.lastIndexOf("/");
  return slash < 0 ? [name] : [`${server.slice(0, slash)}/${name}`, name];
}

async function output(
  program: string,
  args: readonly string[],
): Promise<string> {
  try {
    const env = { ETCDCTL_API: "3" };
    const stdin = "null";
    const command = new Deno.Command(program, { args: [...args], env, stdin });
    const { stdout } = await command.output();
    return new TextDecoder().decode(stdout);
  } catch (error) {
    const isAbsent = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.PermissionDenied;
    if (isAbsent) return "";
    throw error;
  }
}

/** Restores a snapshot. Throws EtcdError if there is none or its checksum does not match. */
export async function restoreSnapshot(
  { program, upload, data, name, peerUrl, skipHashCheck }: {
    /** `etcdutl` or `etcdctl`; `undefined` if neither is installed. */
    readonly program: string | undefined;
    /** The snapshot; deleted afterwards. */
    readonly upload: string;
    /** Data directory; must not exist. */
    readonly data: string;
    readonly name: string;
    readonly peerUrl: string;
    readonly skipHashCheck: boolean;
  },
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
    throw error instanceof Deno.errors.NotFound ? noSnapshotError() : error;
  }
}
