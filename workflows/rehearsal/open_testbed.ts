/** Testbeds of a rehearsal: a separate cluster and disk for each run. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { renderOsconfig } from "../../config/osconfig/osconfig_file.ts";
import {
  createModelCluster,
  type ModelCluster,
  type ModelClusterOptions,
} from "./model/model_cluster.ts";
import type { Json } from "../../lib/json.ts";
import { listModelNodes, type ModelClusterSpec } from "./cluster_shape.ts";
import { temporaryFolder } from "../../lib/files/temporary.ts";
import { type Disk, inScratch, newDisk } from "./model_disk.ts";
import { makeRandom } from "./matrix.ts";
import type { OpenTestbed } from "./rehearsal.ts";
import type { ResolvedInputs } from "../runbooks/language/resolve_inputs.ts";
import type { Runbook } from "../runbooks/runbook.ts";
import { type RehearsedRunbook, runModelProcess } from "./model_process.ts";
import { OsctlError } from "../../errors.ts";
import { nodeClient } from "../../transport/call/client.ts";
import { restoreCredentials } from "../ca/credentials.ts";
import type { Testbed } from "./rehearse.ts";
import { allSteps } from "../runbooks/language/walk.ts";
import type { Credential } from "../ca/run_resources.ts";
import { injectIntoModel } from "./model/inject_fault.ts";

/** Options of a testbed. */
export interface TestbedOptions {
  readonly runbook: Runbook;
  readonly inputs: ResolvedInputs;
  /** Seed of the random generator. */
  readonly seed: number;
  /** Options of single nodes, when the cluster is modelled on a real one. */
  readonly different?: ModelClusterOptions["different"];
  /** Kubernetes, configurations and membership of the nodes, where they are not the usual ones. */
  readonly model?: Pick<
    ModelClusterOptions,
    "kubernetes" | "configuration" | "unconfigured" | "bootstrapped"
  >;
  /** Nodes at once for steps that do not disrupt nodes. */
  readonly parallel: number;
  readonly steps: RehearsedRunbook["steps"];
}

/** Creates a cluster, and a disk with the files and secrets of the inputs. */
export async function openTestbed(
  spec: ModelClusterSpec,
  options: TestbedOptions,
): Promise<OpenTestbed> {
  const { runbook, inputs, seed, parallel, steps } = options;
  // Resources are closed if a later one cannot be opened.
  await using opened = new AsyncDisposableStack();
  const scratch = opened.use(await temporaryFolder("osctl-rehearsal-"));
  const cluster = await createModelCluster({
    ...spec,
    ...options.model,
    seed,
    different: differentIn(spec, options),
  });
  opened.defer(() => cluster.stop());
  const disk = await newDisk(`${scratch.path}/run`);
  const handles: Record<string, Json> = {};
  for (const [name, value] of inputs.secrets) {
    // Sequential, as in a real run.
    handles[name] = { ...await disk.vault.put(`input/${name}`, value) };
  }
  const home = `${scratch.path}/home`;
  await writeHome(home, cluster);
  const values = await inScratch(runbook, inputs.values, scratch.path);
  const stage = modelTestbed(cluster, {
    runbook,
    inputs: { ...values, ...handles },
    ask: ({ destructive }) =>
      Promise.resolve({
        approved: true,
        by: "rehearsal",
        how: destructive ? "typed" : "flag",
      }),
    parallel,
    random: makeRandom(seed),
    steps: (given) => steps({ ...given, home }),
    creates: cluster.observe().nodes.every(({ slots }) => slots.length === 0),
  });
  const kept = opened.move();
  return { stage, disk, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Writes the osconfig of a cluster user, for steps that read or change it. */
async function writeHome(
  home: string,
  { admin, observe }: ModelCluster,
): Promise<void> {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const planes = observe().nodes.filter(({ role }) => role === "controlplane");
  const context = {
    endpoints: planes.map(({ address }) => address),
    nodes: [],
    ca: base64(admin.ca),
    crt: base64(admin.crt),
    key: base64(admin.key),
  };
  const text = await renderOsconfig({
    current: "rehearsal",
    contexts: new Map([["rehearsal", context]]),
  });
  await writeFileAtomic(`${home}/config`, text);
}

/** Options of nodes that differ from the others. */
function differentIn(
  spec: ModelClusterSpec,
  { different = {} }: Pick<TestbedOptions, "different">,
): NonNullable<ModelClusterOptions["different"]> {
  if (!spec.grub) return different;
  return Object.fromEntries(
    listModelNodes(spec).map(({ name }) => [
      name,
      { ...different[name], bootLoader: "grub" },
    ]),
  );
}

/** Makes a testbed from a cluster. `cluster`: a separate one for each run. */
function modelTestbed(
  cluster: ModelCluster,
  rehearsed: RehearsedRunbook,
): Testbed {
  const { runbook } = rehearsed;
  const { clock, observe } = cluster;
  const names = new Map(
    observe().nodes.map(({ address, name }) => [address, name]),
  );
  return {
    runbook,
    clock,
    observe,
    findName: (node) => names.get(node) ?? node,
    strike: (fault) => injectIntoModel(cluster, fault),
    runProcess: (process, disk, parts) =>
      runModelProcess(rehearsed, { cluster, process, disk, ...parts }),
    ...(issuesClients(runbook)
      ? { shutOut: (disk: Disk) => shutOut(cluster, disk) }
      : {}),
  };
}

/** Reports whether the run may rotate CAs, so that nodes refuse its first client certificate. */
function issuesClients({ steps, rescue, always }: Runbook): boolean {
  return [...allSteps([...steps, ...rescue, ...always])].some((step) =>
    step.verb === "run" && step.module === "osconfig.issue"
  );
}

/** Reachable nodes that accept no credential on a disk. */
async function shutOut(
  cluster: ModelCluster,
  { vault }: Disk,
): Promise<readonly string[]> {
  const issued: Credential[] = [];
  await restoreCredentials({ add: (one) => issued.push(one) }, vault);
  if (issued.length === 0) return [];
  const all = [cluster.admin, ...issued.map(({ ca, crt }) => ({ ca, crt }))];
  const there = cluster.observe().nodes.filter(({ isPart, isReachable }) =>
    isPart && isReachable
  );
  const looks = there.map(async ({ name }) => {
    for (const one of all) {
      // One accepted credential is enough.
      if (await opens(cluster, name, one)) return [];
    }
    return [`nothing opens ${name}`];
  });
  return (await Promise.all(looks)).flat();
}

async function opens(
  cluster: ModelCluster,
  node: string,
  { ca, crt }: { readonly ca: string; readonly crt: string },
): Promise<boolean> {
  const transport = cluster.transport(node, { ca, crt, key: "" });
  try {
    await nodeClient(node, transport, {}).machine.version({});
    return true;
  } catch (error) {
    if (error instanceof OsctlError) return false;
    throw error;
  }
}
