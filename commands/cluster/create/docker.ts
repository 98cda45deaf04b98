import { annotate } from "../../../config/documents/comments.ts";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import {
  type Contract,
  defaultContract,
  parseContract,
  toOsVersion,
} from "../../../config/generate/contract.ts";
import { machineConfig } from "../../../config/generate/machine_config.ts";
import { hideSecrets } from "../../../config/generate/secret_reader.ts";
import {
  generateSecrets,
  newServiceAccountKey,
} from "../../../config/generate/secrets.ts";
import { defaultKubernetes } from "../../../config/images.ts";
import { findRelease } from "../../../config/releases.ts";
import { applyPatches, type Patch, readPatch } from "../../../config/patch.ts";
import { defaultRelease, imagePrefix, legacyFlags } from "../../../talos.ts";
import { ConfigError } from "../../../errors.ts";
import { readState } from "../../../provisioners/mod.ts";
import { docker } from "../../../provisioners/docker/provisioner.ts";
import type { PullLogin } from "../../../provisioners/docker/pull.ts";
import type { ContainerSpec } from "../../../provisioners/docker/spec.ts";
import { addressAt } from "../../../lib/ip.ts";
import { parseReference } from "../../../workflows/image_cache/reference.ts";
import { userLogins } from "../../../workflows/image_cache/registry_logins.ts";
import { startKubernetes } from "../_start_cluster.ts";
import { patchFlag, readPatches } from "../../_configure/patches.ts";
import { usualKubeconfig } from "../../../config/kubeconfig/file.ts";
import { clusterInputs, locateCluster } from "../_cluster.ts";
import {
  createCluster,
  type CreatedRow,
  createdView,
  parseKubernetes,
  readableOsconfig,
  sayNext,
} from "../_create_cluster.ts";
import { exposedPorts, machineSizes, parseMount } from "../_machine_flags.ts";
import { reportPhases } from "../_phases.ts";

import { registryMirrorFlag } from "../../_gen_config/inputs.ts";
import {
  type Command,
  type Context,
  duration,
  imageName,
  integer,
  stringArray,
  text,
  toggle,
  type Values,
} from "../../_kit/mod.ts";

const defaultImage = `${imagePrefix}/talos:${defaultRelease}`;

const inputs = {
  ...clusterInputs,
  controlplanes: integer("number of control planes", {
    initial: 1,
    least: 1,
    most: 50,
  }),
  workers: integer("number of workers", { initial: 1, least: 0, most: 200 }),
  image: {
    ...text("image of the nodes", {
      initial: defaultImage,
    }),
    parse: imageName,
  },
  subnet: text("IPv4 subnet of the nodes", { initial: "10.5.0.0/24" }),
  ...machineSizes,
  configPatch: patchFlag("patch for all nodes; @file reads a file"),
  configPatchControlplanes: patchFlag("patch for control planes"),
  configPatchWorkers: patchFlag("patch for workers"),
  kubernetesVersion: text("version of Kubernetes", {
    shown: `${defaultKubernetes}, or that of the release in --image`,
  }),
  exposedPorts: text(
    "ports of the control plane on this machine: [ip:]host:container/tcp or /udp, separated by commas",
    { short: "p" },
  ),
  hostIp: text("address of this machine that --exposed-ports listen on", {
    initial: "0.0.0.0",
  }),
  mount: stringArray(
    "mount of every node: type=bind,source=/path,target=/path[,readonly]",
  ),
  mtu: integer("MTU of the network", {
    initial: 1500,
    least: 576,
    most: 65_535,
  }),
  disableIpv6: toggle("do not let nodes use IPv6"),
  registryMirror: registryMirrorFlag(),
  osconfigDestination: text("client configuration to merge the context into", {
    aliases: [legacyFlags.osconfigDestination],
    complete: "files",
    shown: "same as --osconfig",
  }),
  waitTimeout: duration("timeout for the cluster to become healthy", {
    initial: "20m0s",
  }),
};

type CreateDockerInputs = Values<typeof inputs>;

export const command = {
  summary: "Create a cluster of nodes in containers",
  description:
    `Uses the container engine of DOCKER_HOST, of the current Docker context, or at the default socket; Podman works too.
Before anything is created, all prerequisites are checked and all problems reported at once.

The context is added to the client configuration, and the kubeconfig to that of the user; both become the current ones.

Run the same command again to resume an interrupted creation, or "osctl cluster destroy" to remove what it created.`,
  inputs,
  examples: [
    "cluster create docker",
    "cluster create docker --name lab --workers 3 --memory-workers 4GiB",
    "cluster create docker --subnet 10.20.0.0/24 --exposed-ports 8080:80/tcp",
  ],
  view: createdView,
  run: create,
} satisfies Command<CreatedRow, CreateDockerInputs>;

async function* create(
  context: Context<CreateDockerInputs>,
): AsyncGenerator<CreatedRow> {
  const { input, environment, note } = context;
  const place = locateCluster(input, environment);
  const contract = decodeContract(input.image, note);
  const patches = await patchesFor(context);
  const containers = makeSpec(context);
  const kubernetes = parseKubernetes(
    input.kubernetesVersion ??
      (input.image === defaultImage
        ? defaultKubernetes
        : findRelease(contract.version).kubernetes),
    `${contract.version}.0`,
    `Change --kubernetes-version; image ${input.image} needs a different one`,
  );
  const { osconfigDestination } = input;
  const osconfig = await readableOsconfig(osconfigDestination, context);
  const kubeconfig = usualKubeconfig(environment);
  const provisioner = docker(environment.env);
  const spec = {
    containers,
    wishes: listWishes(input, kubernetes),
    login: () => loginFor(context),
    configure: (host: string) =>
      generateConfigurations(context, { contract, kubernetes, patches, host }),
  };
  yield await createCluster(context, {
    place,
    osconfig,
    create: (options) => provisioner.create(place, spec, options),
    async bringUp(access) {
      const state = await readState(place);
      const ofType = (type: string) =>
        containers.nodes.filter((node) => node.type === type)
          .map(({ ip }) => ip);
      await startKubernetes({
        access,
        controlPlanes: ofType("controlplane"),
        workers: ofType("worker"),
        kubernetes: state?.clusterinfo.kubernetesendpoint ?? "",
        waitMs: input.waitTimeout,
        consoles: formatConsoles(containers),
        kubeconfig,
        progress: reportPhases(context),
      }, context);
    },
  });
  sayNext(input.name, context);
}

/** Command to print the console output; containers are named after their nodes. */
function formatConsoles({ nodes: [first] }: ContainerSpec): string {
  return `docker logs ${first?.name}, or podman logs ${first?.name}`;
}

type DockerContext = Context<CreateDockerInputs>;

/** Version of the image, which the configurations target. */
function decodeContract(
  image: string,
  note: (text: string) => void,
): Contract {
  const tag = image.replace(/@.*$/, "").split(":").at(-1) ?? "";
  try {
    return parseContract(tag);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { version } = defaultContract;
    note(
      `image ${image} has no version in its tag; configurations are for ${version}`,
    );
    return defaultContract;
  }
}

/** Credentials for the registry of the image, from `docker login`. */
async function loginFor(
  { input: { image }, environment, signal }: DockerContext,
): Promise<PullLogin | undefined> {
  const login = await userLogins(environment.env, signal);
  const found = await login(parseReference(image).host);
  if (found === undefined) return undefined;
  if (found.kind === "refresh-token") return { identitytoken: found.token };
  const text = new TextDecoder().decode(Uint8Array.fromBase64(found.basic));
  const [, username = "", password = ""] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  return { username, password };
}

async function patchesFor(context: DockerContext) {
  const { input } = context;
  const all = await readPatches(input.configPatch, context);
  const controlplane = await readPatches(
    input.configPatchControlplanes,
    context,
  );
  const worker = await readPatches(input.configPatchWorkers, context);
  return {
    controlplane: [...all, ...controlplane],
    worker: [...all, ...worker],
  };
}

function makeSpec({ input, environment }: DockerContext): ContainerSpec {
  const { name, controlplanes, workers, subnet } = input;
  const node = (
    type: "controlplane" | "worker",
    number: number,
    at: number,
  ) => ({
    name: `${name}-${type}-${number}`,
    type,
    // The first address of the subnet is the gateway.
    ip: addressAt(subnet, at + 2),
    nanocpus: type === "worker" ? input.cpusWorkers : input.cpusControlplanes,
    memory: type === "worker" ? input.memoryWorkers : input.memoryControlplanes,
  });
  return {
    image: input.image,
    subnet,
    mtu: input.mtu,
    ipv6: !input.disableIpv6,
    ports: exposedPorts(input.exposedPorts ?? "", input.hostIp),
    mounts: input.mount.map(parseMount),
    // Only for tests, if the engine cannot start privileged containers.
    privileged: environment.env("OSCTL_TEST_UNPRIVILEGED") === undefined,
    nodes: [
      ...Array.from(
        { length: controlplanes },
        (_, index) => node("controlplane", index + 1, index),
      ),
      ...Array.from(
        { length: workers },
        (_, index) => node("worker", index + 1, controlplanes + index),
      ),
    ],
  };
}

/** Inputs that determine the configurations: a resumed creation keeps its own. */
function listWishes(
  input: CreateDockerInputs,
  kubernetes: string,
): readonly string[] {
  return [
    kubernetes,
    ...input.configPatch,
    "control planes",
    ...input.configPatchControlplanes,
    "workers",
    ...input.configPatchWorkers,
    "mirrors",
    ...Array.from(input.registryMirror, ([host, urls]) => `${host}=${urls}`),
  ];
}

async function generateConfigurations(
  { input, environment, note }: DockerContext,
  { contract, kubernetes, patches, host }: {
    readonly contract: Contract;
    /** Version without `v`. */
    readonly kubernetes: string;
    readonly patches: Readonly<
      Record<"controlplane" | "worker", readonly Patch[]>
    >;
    /** Host of the published node ports. */
    readonly host: string;
  },
) {
  const secrets = await generateSecrets({
    contract,
    now: environment.now(),
    // An RSA key takes seconds to generate; nodes accept this one as well.
    given: { certs: { k8sServiceAccount: await newServiceAccountKey() } },
  });
  hideSecrets(secrets);
  // Container interfaces are configured by the engine.
  const ignored = { interfaces: [{ interface: "eth0", ignore: true }] };
  const own = contract.hostnameDocument ? [] : [
    readPatch(JSON.stringify({ machine: { network: ignored } }), "container"),
  ];
  const made = (role: "controlplane" | "worker") => {
    const documents = machineConfig({
      clusterName: input.name,
      endpoint: `https://${addressAt(input.subnet, 2)}:6443`,
      contract,
      secrets,
      kubernetesVersion: kubernetes,
      installDisk: "",
      installImage: "",
      sans: [...new Set(["127.0.0.1", host.replace(/^\[|\]$/g, "")])],
      registryMirrors: input.registryMirror,
    }, role);
    const all = [...own, ...patches[role]];
    const patched = applyPatches(documents, all);
    for (const text of patched.notes) note(`${role}: ${text}`);
    const version = toOsVersion(contract);
    const shown = { docs: true, examples: false, version };
    return encodeDocuments(
      patched.documents.map((one, index) =>
        annotate({ ...one, number: index + 1 }, shown)
      ),
      contract.singleQuotes ? "single" : "double",
    );
  };
  return { controlplane: made("controlplane"), worker: made("worker") };
}
