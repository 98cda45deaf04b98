/** The programs of etcd that are installed. */

import { ConfigError } from "../../../errors.ts";

/** Programs that belong together. */
export interface EtcdPrograms {
  /** Path or name of the server. */
  readonly server: string;
  /** Path or name of the program that restores snapshots; `undefined` when there is none. */
  readonly restorer: string | undefined;
  /** Version of the server: `3.4.23`. */
  readonly version: string;
}

/**
 * Looks for etcd.
 *
 * @param server Path or name of the program; default `etcd`.
 * @returns `undefined` when it cannot be run.
 */
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
  // One of the same release knows the same data; older servers have no `etcdutl`.
  const found =
    restorers.find(({ said }) => said.includes(`version: ${line}.`)) ??
      restorers.find(({ said }) => said !== "");
  return { server, version, restorer: found?.program };
}

/**
 * Looks for etcd, which has to be there.
 *
 * @param server Path or name of the program; default `etcd`.
 * @throws {ConfigError} When it cannot be run.
 */
export async function requireEtcd(server?: string): Promise<EtcdPrograms> {
  const found = await findEtcd(server);
  if (found) return found;
  throw new ConfigError(
    `Cannot run "${server ?? "etcd"}": it is not installed, or no etcd`,
    { hint: "Install etcd, name it in OSCTL_ETCD, or use --etcd model" },
  );
}

/** The same folder first, then wherever programs are. */
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
