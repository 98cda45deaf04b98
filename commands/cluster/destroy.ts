import { Buffer } from "node:buffer";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { parseKubeconfig } from "../../config/kubeconfig/content.ts";
import { dropCluster } from "../../config/kubeconfig/drop.ts";
import {
  allKubeconfigs,
  changeKubeconfig,
  kindAt,
} from "../../config/kubeconfig/file.ts";
import { renderKubeconfig } from "../../config/kubeconfig/render.ts";
import type { OsconfigLocation } from "../../config/osconfig/location.ts";
import { updateOsconfig } from "../../config/osconfig/update_osconfig.ts";
import { ConfigError, OsctlError } from "../../errors.ts";
import {
  type ClusterLocation,
  clusterNames,
  clusterNotFound,
  type ClusterStatus,
  findProvisioner,
  joinFolder,
  type LocalCluster,
  lockCluster,
  type Provisioner,
  readState,
  removeFolder,
} from "../../provisioners/mod.ts";
import { openNodes } from "../../transport/node/open_nodes.ts";
import { collectSupport } from "../../workflows/support/collect_support.ts";
import { contextOptions } from "../_kit/session.ts";
import {
  clusterInputs,
  dropContexts,
  findOsconfigPath,
  type KnownCluster,
  locateCluster,
  provisionerInput,
} from "./_cluster.ts";
import { quietPhases } from "./_phases.ts";
import { exists } from "../../lib/files/exists.ts";
import {
  type Command,
  type Context,
  lines,
  text,
  toggle,
  type Values,
} from "../_kit/mod.ts";

interface DestroyedRow {
  readonly name: string;
  /** New current context, empty if none is left; absent if the current context was of another cluster. */
  readonly context?: string;
}

const inputs = {
  ...clusterInputs,
  ...provisionerInput,
  force: toggle(
    "remove the cluster even if its files cannot be read, or a step fails",
    { short: "f" },
  ),
  saveClusterLogsArchivePath: text(
    "first save the consoles of all nodes to this .tar.gz archive",
    { complete: "files" },
  ),
  saveSupportArchivePath: text(
    "first save a support bundle of all nodes to this .zip archive",
    { complete: "files" },
  ),
};

type DestroyInputs = Values<typeof inputs>;

export const command = {
  summary: "Destroy a cluster on this machine",
  description:
    `Stops its nodes, and removes its directory, its contexts in the client configuration, and its entries in the
kubeconfig. If its context was the current one of the client configuration, the first remaining one becomes current; in
the kubeconfig, the current context is unset.`,
  inputs,
  examples: ["cluster destroy", "cluster destroy --name lab"],
  view: lines(({ name, context }) =>
    context === undefined
      ? `Cluster "${name}" is destroyed`
      : context === ""
      ? `Cluster "${name}" is destroyed; no context is left`
      : `Cluster "${name}" is destroyed; the current context is now "${context}"`
  ),
  async *run(context) {
    const place = locateCluster(context.input, context.environment);
    const { provisioner: named } = context.input;
    // Containers and networks are found by label, even without the state.
    const isKept = await exists(joinFolder(place));
    if (named !== "docker" && !isKept) {
      throw missingCluster(place, await clusterNames(place.state));
    }
    using _ = isKept ? await lockCluster(place, "destroy") : undefined;
    const state = await orForced(context, () => readState(place));
    const kind = state?.provisionername ?? context.input.provisioner;
    const provisioner = await findProvisioner(kind, context.environment.env);
    await saveArchives(context, place, provisioner);
    // Read before the state directory is removed, dropped when the cluster is gone.
    const contexts = await orForced(
      context,
      () => findContexts(place, { state, provisioner }, context),
    );
    const { signal } = context;
    await orForced(context, async () => {
      await provisioner.destroy(place, { signal, progress: quietPhases });
    });
    // With --force, leftovers of failed removals are not tracked.
    if (context.input.force) await removeFolder(place);
    const became = contexts &&
      await orForced(context, () => dropAll(contexts, context));
    if (state !== undefined) await dropFromKubeconfigs(state, context);
    yield {
      name: place.name,
      context: became,
    };
  },
} satisfies Command<DestroyedRow, DestroyInputs>;

/** Ignores errors with `--force`. */
async function orForced<T>(
  context: Context<DestroyInputs>,
  read: () => Promise<T>,
): Promise<T | undefined> {
  return context.input.force ? await orNoted(context, read) : await read();
}

/** Reports errors without failing. */
async function orNoted<T>(
  { note }: Context<DestroyInputs>,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    note(`warning: ${error.message}`);
    return undefined;
  }
}

/** Error for a cluster that does not exist; without `--name`, it asks for one. */
function missingCluster(
  place: ClusterLocation,
  names: readonly string[],
): ConfigError {
  const { name, state } = place;
  if (name !== clusterInputs.name.initial || names.length === 0) {
    return clusterNotFound(place, names);
  }
  const flags = names.map((one) => `--name ${one}`).join(" or ");
  return new ConfigError(`Name the cluster: ${flags}`, {
    hint: `The default, "${name}", is not in "${state}"`,
  });
}

/** Saves archives; if that fails, nothing is destroyed unless forced. */
async function saveArchives(
  context: Context<DestroyInputs>,
  place: ClusterLocation,
  provisioner: Provisioner,
): Promise<void> {
  const { input, signal } = context;
  const { saveClusterLogsArchivePath: logs, saveSupportArchivePath: support } =
    input;
  if (logs === undefined && support === undefined) return;
  await orForced(context, async () => {
    const status = await provisioner.show(place);
    if (status === undefined) throw clusterNotFound(place);
    if (logs !== undefined) {
      await saveConsoles(logs, place, { provisioner, status, signal });
    }
    if (support !== undefined) {
      await saveSupport(support, place.name, { status, context });
    }
  });
}

interface ClusterContexts {
  readonly known: KnownCluster;
  /** Client configuration of the cluster's creation. */
  readonly given: OsconfigLocation;
}

/** Finds what identifies the contexts of a cluster, in a file that can be changed. */
async function findContexts(
  place: ClusterLocation,
  { state, provisioner }: {
    readonly state: LocalCluster | undefined;
    readonly provisioner: Provisioner;
  },
  { globals, environment }: Context<DestroyInputs>,
): Promise<ClusterContexts> {
  const nodes = state?.clusterinfo.nodes ?? [];
  const known = {
    name: place.name,
    ca: await provisioner.ca(place),
    endpoints: nodes.flatMap(({ ips, apiport }) => [
      ...ips,
      ...[...ips, "127.0.0.1"].map((host) => `${host}:${apiport}`),
    ]),
  };
  const given = await findOsconfigPath(
    state?.osconfig ?? globals.osconfig,
    environment,
  );
  if (await exists(given.path)) await updateOsconfig(given, () => undefined);
  return { known, given };
}

/** Removes the contexts from the file of the cluster's creation, and from the one in use. */
async function dropAll(
  { known, given }: ClusterContexts,
  context: Context<DestroyInputs>,
): Promise<string | undefined> {
  const { globals, environment } = context;
  const became = await dropContexts(given, known);
  // An error in the other file does not keep the cluster.
  return await orNoted(context, async () => {
    const inUse = await findOsconfigPath(globals.osconfig, environment);
    const isOther = inUse.path !== given.path && inUse.writable;
    return isOther ? await dropContexts(inUse, known) : undefined;
  }) ?? became;
}

/** Errors in files other than the cluster's own do not keep the cluster. */
async function dropFromKubeconfigs(
  { clusterinfo: { clustername: name, kubernetesendpoint: server } }:
    LocalCluster,
  context: Context<DestroyInputs>,
): Promise<void> {
  const { environment, signal, note } = context;
  for (const path of allKubeconfigs(environment)) {
    await orNoted(context, async () => {
      if (await kindAt(path) !== "file") return;
      let gone: readonly string[] = [];
      await changeKubeconfig(path, (before) => {
        const { config, contexts } = dropCluster(
          parseKubeconfig(before, path),
          { name, server },
        );
        gone = contexts;
        return renderKubeconfig(before, path, config);
      }, { signal });
      for (const one of gone) note(`removed context "${one}" from "${path}"`);
    });
  }
}

/** Saves the consoles of all nodes: `<node>.log` in a compressed tar archive. */
async function saveConsoles(
  path: string,
  place: ClusterLocation,
  { provisioner, status, signal }: {
    readonly provisioner: Provisioner;
    readonly status: ClusterStatus;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const archive = pack();
  for (const node of status.cluster.clusterinfo.nodes) {
    const parts: Uint8Array[] = [];
    for await (const part of provisioner.logs(place, node, signal)) {
      parts.push(part);
    }
    const name = `${node.name.replace(/^\//, "")}.log`;
    archive.entry({ name, mode: 0o600 }, Buffer.concat(parts));
  }
  archive.finalize();
  const bytes = Buffer.concat(await Array.fromAsync<Uint8Array>(archive));
  await writeFileAtomic(path, new Uint8Array(await promisify(gzip)(bytes)));
}

/** Saves a support bundle of all nodes, using the context named after the cluster. */
async function saveSupport(
  path: string,
  name: string,
  { status, context }: {
    readonly status: ClusterStatus;
    readonly context: Context<unknown>;
  },
): Promise<void> {
  const { environment, signal, note } = context;
  const globals = { ...context.globals, context: name };
  const addresses = status.cluster.clusterinfo.nodes.flatMap(({ ips }) =>
    ips.slice(0, 1)
  );
  const options = await contextOptions({ globals, environment, signal, note });
  const nodes = openNodes({ ...options, nodes: addresses });
  try {
    await collectSupport({
      nodes: addresses,
      at: (node) => nodes.at(node),
      others: [],
      path,
      now: environment.now(),
      workers: 4,
      signal,
      reading() {},
      about: { cluster: name },
    });
  } finally {
    nodes.close();
  }
}
