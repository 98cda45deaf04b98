/** Prepares a cluster of virtual machines: decides everything before anything is created. */

import { readBoundedText } from "../../../lib/files/bounded_file.ts";
import { adminContext } from "../../../config/generate/client.ts";
import { parseEndpoint } from "../../../config/generate/machine_options.ts";
import { hideSecrets } from "../../../config/generate/secret_reader.ts";
import {
  generateSecrets,
  newServiceAccountKey,
} from "../../../config/generate/secrets.ts";
import { defaultKubernetes } from "../../../config/images.ts";
import { usualKubeconfig } from "../../../config/kubeconfig/file.ts";
import { processMasker } from "../../../lib/masker.ts";
import type { ClientContext } from "../../../config/osconfig/osconfig.ts";
import { parseOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { ConfigError } from "../../../errors.ts";
import {
  begunMachines,
  type ClusterAccess,
  type ClusterLocation,
  configurationsFor,
  type ConfigurationSources,
  type DocumentSettings,
  joinFolder,
  planAgent,
  planCluster,
  type QemuSpec,
  refuseLocked,
  systemDevices,
} from "../../../provisioners/mod.ts";
import { endpointAt } from "../../../transport/connect/endpoint.ts";
import type { KubernetesStart } from "../_start_cluster.ts";
import { readPatches } from "../../_configure/patches.ts";
import type { Context } from "../../_kit/mod.ts";
import { locateCluster } from "../_cluster.ts";
import { parseKubernetes } from "../_create_cluster.ts";
import type { FullInputs } from "./inputs.ts";
import type { QemuRequest } from "./request.ts";

interface BringUp {
  /** True if configurations are written to the working directory. */
  readonly writesFiles: boolean;
  /** True if configurations are sent to nodes in maintenance mode. */
  readonly applies: boolean;
  /** True if a manager configures the nodes, so that this client has no access to them. */
  readonly isManaged: boolean;
  /** True to print the consoles if nodes fail to start. */
  readonly printsConsoles: boolean;
  /** Kubernetes; omitted if nodes stay without a configuration. */
  readonly kubernetes?: Omit<KubernetesStart, "progress">;
}

/** Console log files, one per machine. */
export function consolesIn(place: ClusterLocation): string {
  return `${joinFolder(place)}/*.log`;
}

type SourceContext = Pick<Context<unknown>, "environment" | "signal" | "note">;

/** A cluster ready to be created. */
export interface PreparedVms {
  readonly place: ClusterLocation;
  readonly spec: QemuSpec;
  readonly bringUp: BringUp;
  /** True if an earlier creation was interrupted. */
  readonly isBegun: boolean;
}

/**
 * Prepares a cluster. A resumed one keeps its names, addresses, keys and configurations.
 *
 * @throws {ConfigError} If the cluster exists, or settings conflict.
 */
export async function prepareVms(
  request: QemuRequest,
  { environment, ...context }: SourceContext,
): Promise<PreparedVms> {
  const { input, staysUnconfigured, osconfig: _, ...settings } = request;
  const place = locateCluster(input, environment);
  const wishes = await hashInput(input);
  await refuseLocked(place, "create");
  const begun = await begunMachines(place, wishes);
  const plan = begun?.plan ?? await planCluster({
    ...input,
    folder: joinFolder(place),
    hasInitNode: input.withInitNode,
    hasUuidNames: input.withUuidHostnames,
  });
  const agent = begun?.agent ??
    (settings.wantedAgent === undefined
      ? undefined
      : await planAgent(plan, settings.wantedAgent, environment.now()));
  const sources = await sourcesFor(
    { ...settings.documents, plan, agent },
    request,
    { environment, ...context },
  );
  const access = begun?.access ?? sources.access;
  processMasker.add(access.key);
  const spec: QemuSpec = {
    ...settings,
    plan,
    agent,
    wishes,
    configurations: begun?.configurations ??
      configurationsFor(plan.machines, sources.sources),
    access,
    kubernetesEndpoint: sources.sources.spec.endpoint,
    owner: sudoUser(environment.env),
  };
  const { skipEtcdK8s, omniApiEndpoint: manager } = input;
  if (manager !== undefined) {
    processMasker.add(new URL(manager).searchParams.get("jointoken") ?? "");
  }
  const merges = input.wait && !input.skipKubeconfig && !skipEtcdK8s;
  return {
    place,
    spec,
    isBegun: begun !== undefined,
    bringUp: {
      writesFiles: input.skipInjectingConfig && staysUnconfigured,
      applies: input.skipInjectingConfig && !staysUnconfigured,
      printsConsoles: input.crashdump,
      isManaged: manager !== undefined,
      ...staysUnconfigured || manager !== undefined ? {} : {
        kubernetes: {
          access,
          // talosctl's choice of the first: the lowest as text.
          controlPlanes: listAddresses(plan.machines, false).sort(),
          workers: listAddresses(plan.machines, true),
          waitMs: input.waitTimeout,
          consoles: consolesIn(place),
          isBootstrapped: input.withInitNode || skipEtcdK8s,
          healthy: input.wait && !skipEtcdK8s,
          isReadinessSkipped: input.skipK8sNodeReadinessCheck,
          ...merges ? { kubeconfig: usualKubeconfig(environment) } : {},
        },
      },
    },
  };
}

/** Timeouts and wait conditions, which may differ when a creation is resumed. */
const changeable = [
  "imageFactoryAuth",
  "waitTimeout",
  "wait",
  "crashdump",
  "skipKubeconfig",
  "skipK8sNodeReadinessCheck",
  "state",
  "accel",
];

/** Digest of the flags: a creation is resumed only with the same ones. */
async function hashInput(input: FullInputs): Promise<string> {
  const asked = Object.entries(input).filter(([name]) =>
    !changeable.includes(name)
  );
  const text = JSON.stringify(
    asked,
    (_, value) => value instanceof Map ? [...value] : value,
  );
  const digest = await crypto.subtle.digest(
    "SHA-256",
    new TextEncoder().encode(text),
  );
  return new Uint8Array(digest).toHex();
}

function listAddresses(
  machines: QemuSpec["plan"]["machines"],
  isWorker: boolean,
): string[] {
  return machines.filter(({ type }) => (type === "worker") === isWorker)
    .flatMap(({ ips }) => ips.slice(0, 1));
}

async function sourcesFor(
  settings: DocumentSettings,
  { input, contract }: QemuRequest,
  context: SourceContext,
): Promise<{
  readonly sources: ConfigurationSources;
  readonly access: ClusterAccess;
}> {
  const { environment } = context;
  const { plan } = settings;
  const ips = plan.machines.map(({ ips: [ip = ""] }) => ip);
  const controlplanes = ips.slice(0, input.controlplanes);
  const endpoints = input.endpoint !== undefined
    ? [input.endpoint]
    : input.initNodeAsEndpoint
    ? controlplanes.slice(0, 1)
    : controlplanes;
  const host = input.useVip ? plan.vip : plan.subnets[0]?.gateway ?? "";
  const kubernetesVersion = input.kubernetesVersion === undefined
    ? input.osVersion === "latest" ? defaultKubernetes : undefined
    : parseKubernetes(
      input.kubernetesVersion,
      `${contract.version}.0`,
      "Change --kubernetes-version or --os-version",
    );
  const now = environment.now();
  const secrets = await generateSecrets({
    contract,
    now,
    // An RSA key takes seconds to generate; nodes accept this one as well.
    given: { certs: { k8sServiceAccount: await newServiceAccountKey() } },
  });
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
    access: { ...toAccess(client), endpoints, nodes: ips },
    sources: {
      given: given?.configurations,
      settings,
      patches,
      spec: {
        clusterName: input.name,
        endpoint: parseEndpoint(
          `https://${endpointAt(host, input.controlPlanePort).text}`,
        ),
        contract,
        secrets,
        kubernetesVersion,
        // Before v1.14 there is no such document.
        installDisk: input.skipUnattendedInstallConfig && contract.split
          ? ""
          : systemDevices[settings.systemDisk],
        installImage: input.installImage,
        sans: input.endpoint === undefined ? [] : [input.endpoint],
        dnsDomain: input.dnsDomain,
        discovery: input.withClusterDiscovery,
        kubernetes: !input.skipEtcdK8s,
        kubespan: input.withKubespan,
        registryMirrors: input.registryMirror,
      },
    },
  };
}

function sudoUser(
  env: (name: string) => string | undefined,
): QemuSpec["owner"] {
  const [uid, gid] = [Number(env("SUDO_UID")), Number(env("SUDO_GID"))];
  return uid > 0 && gid >= 0 ? { uid, gid } : undefined;
}

/** Files of `gen config` in a directory. */
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

function toAccess({ ca = "", crt = "", key = "" }: ClientContext) {
  const text = (base64: string) =>
    new TextDecoder().decode(Uint8Array.fromBase64(base64));
  return { ca: text(ca), crt: text(crt), key: text(key) };
}
