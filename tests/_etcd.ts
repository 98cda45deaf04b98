/** Simulated clusters with the real etcd, for tests where it is installed. */

import type {
  ClusterOptions,
  RunningCluster,
} from "../simulator/cluster/cluster.ts";
import { etcdCa } from "../simulator/etcd/member_access.ts";
import { clientKeyPair } from "../simulator/etcd/real/real_server.ts";
import { requireEtcd } from "../simulator/etcd/real/program.ts";
import type { SimulatedNode } from "../simulator/state/node.ts";
import { encodePem, pemLabel } from "../pki/pem.ts";
import { withCluster } from "./_cluster.ts";
import { withFolder } from "./_folder.ts";
import { findProgram, type Need, optional } from "./_needs.ts";

const program = Deno.env.get("OSCTL_ETCD");

export const realNeeds: readonly Need[] = [
  {
    name: "etcd",
    debian: "etcd-server",
    brew: "etcd",
    isThere: () => findProgram(program ?? "etcd") !== undefined,
  },
  {
    name: "etcdctl",
    debian: "etcd-client",
    brew: "etcd",
    isThere: () =>
      ["etcdutl", "etcdctl"].some((name) =>
        findProgram(name) !== undefined ||
        findProgram((program ?? "").replace(/[^/]*$/, name)) !== undefined
      ),
  },
];

/** Version of the server. */
export async function version(): Promise<string> {
  return (await requireEtcd(program)).version;
}

/** A server that has the calls of version 3.6. */
export const etcd36: Need = optional("etcd 3.6", "Debian has 3.5", () => {
  if (findProgram(program ?? "etcd") === undefined) return false;
  const { stdout } = new Deno.Command(program ?? "etcd", {
    args: ["--version"],
  }).outputSync();
  return /etcd Version: 3\.6\./.test(new TextDecoder().decode(stdout));
});

export const realEtcd: { readonly program?: string } = program === undefined
  ? {}
  : { program };

export interface Backend {
  readonly name: "model" | "real";
  readonly etcd: NonNullable<ClusterOptions["etcd"]>;
  readonly wants: readonly Need[];
}

/** The model, and the real etcd where it is installed. */
export const backends: readonly Backend[] = [
  { name: "model", etcd: "model", wants: [] },
  { name: "real", etcd: realEtcd, wants: realNeeds },
];

/** Calls `etcdctl` against the etcd of a node. */
export type Etcdctl = (node: SimulatedNode, ...args: string[]) => Promise<
  string
>;

/** Runs a test against a cluster with the real etcd and its command line client. */
export async function withEtcdctl(
  options: ClusterOptions,
  test: (cluster: RunningCluster, etcdctl: Etcdctl) => Promise<void>,
): Promise<void> {
  await withFolder({}, async (folder) => {
    await withCluster({ etcd: realEtcd, ...options }, async (cluster) => {
      await test(cluster, await etcdctlIn(folder, cluster));
    });
  });
}

/**
 * Makes a command line client of a cluster with the real etcd.
 *
 * @param folder Folder for its certificates.
 * @param cluster The cluster.
 */
export async function etcdctlIn(
  folder: string,
  { nodes }: RunningCluster,
): Promise<Etcdctl> {
  const issuer = await etcdCa(nodes[0]!);
  const { certificate, key } = await clientKeyPair(issuer, "test");
  const ca = encodePem(pemLabel.certificate, issuer.certificate);
  const files = { ca, cert: certificate, key };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, text);
  }
  const identity = ["--cacert", "--cert", "--key"].map((flag, index) =>
    `${flag}=${folder}/${Object.keys(files)[index]}`
  );
  return async (node, ...args) => {
    const command = new Deno.Command("etcdctl", {
      args: [
        `--endpoints=${node.etcd.server.endpoint()}`,
        ...identity,
        ...args,
      ],
      env: { ETCDCTL_API: "3" },
    });
    const { success, stdout, stderr } = await command.output();
    const text = new TextDecoder().decode(stdout);
    if (success) return text;
    throw new Error(text + new TextDecoder().decode(stderr));
  };
}
