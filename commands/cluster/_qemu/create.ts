/** Creates a cluster of virtual machines: what both commands do once they know what is wanted. */

import { writeFileAtomic } from "../../../config/files/atomic_file.ts";
import { readBoundedText } from "../../../config/files/bounded_file.ts";
import { adminContext } from "../../../config/generate/client.ts";
import { parseEndpoint } from "../../../config/generate/machine_options.ts";
import { hideSecrets } from "../../../config/generate/secret_reader.ts";
import { generateSecrets } from "../../../config/generate/secrets.ts";
import {
  parseOsconfig,
  readOsconfig,
} from "../../../config/osconfig/osconfig_file.ts";
import type { ClientContext } from "../../../config/osconfig/osconfig.ts";
import { usualKubeconfig } from "../../../config/kubeconfig/file.ts";
import { ConfigError } from "../../../errors.ts";
import {
  type ClusterAccess,
  type ClusterLocation,
  configurationsFor,
  type ConfigurationSources,
  createVirtualMachines,
  findProvisioner,
  folderOf,
  hostPort,
  planCluster,
  type QemuSpec,
  systemDevices,
} from "../../../provisioners/mod.ts";
import {
  configureMachines,
  startKubernetes,
} from "../../../workflows/kubernetes/start_cluster.ts";
import { readPatches } from "../../_configure/patches.ts";
import type { Context } from "../../_kit/mod.ts";
import {
  addContext,
  configurationFiles,
  osconfigOf,
  placeOf,
  refuseConfigurationFiles,
} from "../_cluster.ts";
import {
  type CreatedRow,
  createdRow,
  kubernetesOf,
  sayNext,
  startSite,
} from "../_created.ts";
import { quietPhases, reportPhases } from "../_phases.ts";

import type { FullInputs } from "./inputs.ts";
import type { QemuRequest } from "./request.ts";

/** What a command has decided beside its flags. */
export interface CreateVms {
  /** Settings. */
  readonly request: QemuRequest;
  /** Path of the client configuration; omitted, the usual one. */
  readonly osconfig?: string | undefined;
  /** True when configurations are neither injected nor applied. */
  readonly staysUnconfigured: boolean;
}

/** Creates the cluster, and brings it up. Returns its row. */
export async function createVms(
  { request, ...what }: CreateVms,
  context: Context<FullInputs>,
): Promise<CreatedRow> {
  const { input, environment, globals, signal, note } = context;
  const progress = reportPhases({ note, environment });
  const place = placeOf(input, environment);
  const osconfig = await osconfigOf(
    what.osconfig ?? globals.osconfig,
    environment,
  );
  // One that cannot be read is reported before anything is made.
  await readOsconfig(osconfig.path);
  const isWritten = input.skipInjectingConfig && what.staysUnconfigured;
  if (isWritten) await refuseConfigurationFiles();
  const plan = await planCluster({
    ...input,
    folder: folderOf(place),
    hasInitNode: input.withInitNode,
    hasUuidNames: input.withUuidHostnames,
  });
  const { sources, access } = await sourcesFor(plan, request, context);
  const configurations = configurationsFor(plan.machines, sources);
  const spec: QemuSpec = {
    ...request.machines,
    plan,
    configurations,
    access,
    kubernetesEndpoint: sources.spec.endpoint,
    owner: sudoUser(environment.env),
  };
  await createVirtualMachines(place, spec, {
    waitMs: input.waitTimeout,
    signal,
    osconfig: osconfig.path,
    progress,
  });
  if (isWritten) await writeConfigurations(plan.machines, configurations, note);
  const name = await addContext(osconfig, input.name, access)
    .catch(async (error) => {
      // Nothing else has the key of the cluster.
      const qemu = await findProvisioner("qemu", environment.env);
      await qemu.destroy(place, { signal, progress: quietPhases });
      throw error;
    });
  if (!what.staysUnconfigured) {
    try {
      const { machines } = plan;
      const waitMs = input.waitTimeout;
      if (input.skipInjectingConfig) {
        await configureMachines(
          { machines, configurations, waitMs, progress },
          startSite(context),
        );
      }
      const merges = input.wait && !input.skipKubeconfig;
      await startKubernetes({
        access,
        // The peer's choice of the first: the lowest as text.
        controlPlanes: addressesOf(machines, false).sort(),
        workers: addressesOf(machines, true),
        waitMs,
        isBootstrapped: input.withInitNode,
        healthy: input.wait,
        isReadinessSkipped: input.skipK8sNodeReadinessCheck,
        ...merges ? { kubeconfig: usualKubeconfig(environment) } : {},
        progress,
      }, startSite(context));
    } catch (error) {
      if (input.crashdump) await printConsoles(place, plan.machines, note);
      throw error;
    }
  }
  sayNext(input.name, { note });
  return await createdRow(context, access, {
    osconfig: osconfig.path,
    context: name,
  });
}

/** First addresses of the machines of a role. */
function addressesOf(
  machines: QemuSpec["plan"]["machines"],
  isWorker: boolean,
): string[] {
  return machines.filter(({ type }) => (type === "worker") === isWorker)
    .flatMap(({ ips }) => ips.slice(0, 1));
}

/** The ends of what machines have written. */
async function printConsoles(
  place: ClusterLocation,
  machines: QemuSpec["plan"]["machines"],
  note: (text: string) => void,
): Promise<void> {
  for (const { name } of machines) {
    const path = `${folderOf(place)}/${name}.log`;
    const text = await readBoundedText({
      path,
      limitMib: 64,
      expected: "a console",
    });
    for (const line of (text ?? "").trim().split("\n").slice(-40)) {
      note(`${name}: ${line}`);
    }
  }
}

async function sourcesFor(
  plan: QemuSpec["plan"],
  { contract, documents }: QemuRequest,
  context: Context<FullInputs>,
): Promise<{
  readonly sources: ConfigurationSources;
  readonly access: ClusterAccess;
}> {
  const { input, environment } = context;
  const ips = plan.machines.map(({ ips: [ip = ""] }) => ip);
  const controlplanes = ips.slice(0, input.controlplanes);
  const endpoints = input.endpoint !== undefined
    ? [input.endpoint]
    : input.initNodeAsEndpoint
    ? controlplanes.slice(0, 1)
    : controlplanes;
  const host = input.useVip ? plan.vip : plan.subnets[0]?.gateway ?? "";
  const kubernetesVersion = input.kubernetesVersion === undefined
    ? undefined
    : kubernetesOf(
      input.kubernetesVersion,
      `${contract.version}.0`,
      "Change --kubernetes-version or --os-version",
    );
  const now = environment.now();
  const secrets = await generateSecrets({ contract, now });
  hideSecrets(secrets);
  const given = input.inputDir === undefined
    ? undefined
    : await readGiven(input.inputDir);
  const client = given?.client ??
    await adminContext({ clusterName: input.name, secrets, now });
  const all = await readPatches(input.configPatch, context);
  const patches = {
    controlplane: [
      ...all,
      ...await readPatches(input.configPatchControlPlane, context),
    ],
    worker: [...all, ...await readPatches(input.configPatchWorker, context)],
  };
  return {
    access: { ...accessOf(client), endpoints, nodes: ips },
    sources: {
      given: given?.configurations,
      settings: { ...documents, plan },
      patches,
      spec: {
        clusterName: input.name,
        endpoint: parseEndpoint(
          `https://${hostPort(host, input.controlPlanePort)}`,
        ),
        contract,
        secrets,
        ...kubernetesVersion === undefined ? {} : { kubernetesVersion },
        installDisk: systemDevices[documents.systemDisk],
        ...input.installImage === undefined
          ? {}
          : { installImage: input.installImage },
        sans: input.endpoint === undefined ? [] : [input.endpoint],
        dnsDomain: input.dnsDomain,
        discovery: input.withClusterDiscovery,
        kubespan: input.withKubespan,
        registryMirrors: input.registryMirror,
      },
    },
  };
}

/** The user who ran sudo. */
function sudoUser(
  env: (name: string) => string | undefined,
): QemuSpec["owner"] {
  const [uid, gid] = [Number(env("SUDO_UID")), Number(env("SUDO_GID"))];
  return uid > 0 && gid >= 0 ? { uid, gid } : undefined;
}

/** Files of `gen config` in a folder. */
async function readGiven(folder: string) {
  const read = async (name: string) => {
    const path = `${folder}/${name}`;
    const expected = "a file of gen config";
    const text = await readBoundedText({ path, limitMib: 16, expected });
    if (text !== undefined) return text;
    throw new ConfigError(`Cannot read "${path}": no such file`, {
      hint: "Generate the files with: osctl gen config",
    });
  };
  const { contexts, current } = await parseOsconfig(
    await read("osconfig"),
    `${folder}/osconfig`,
  );
  const client = contexts.get(current);
  if (client === undefined) {
    throw new ConfigError(
      `Cannot use "${folder}/osconfig": it has no current context`,
    );
  }
  return {
    client,
    configurations: {
      controlplane: await read("controlplane.yaml"),
      worker: await read("worker.yaml"),
    },
  };
}

function accessOf({ ca = "", crt = "", key = "" }: ClientContext) {
  const text = (base64: string) =>
    new TextDecoder().decode(Uint8Array.fromBase64(base64));
  return { ca: text(ca), crt: text(crt), key: text(key) };
}

/** One file for each role; machines of a role differ only where flags say so. */
async function writeConfigurations(
  machines: QemuSpec["plan"]["machines"],
  configurations: ReadonlyMap<string, string>,
  note: (text: string) => void,
): Promise<void> {
  for (const [role, path] of Object.entries(configurationFiles)) {
    const one = machines.find(({ type }) =>
      (type === "worker") === (role === "worker")
    );
    const text = one && configurations.get(one.name);
    if (text === undefined) continue;
    await writeFileAtomic(path, text, { overwrite: false });
    note(`Created ${path}`);
  }
}
