/** Creates a cluster of virtual machines, for both commands. */

import { writeFileAtomic } from "../../../lib/files/atomic_file.ts";
import { readBoundedText } from "../../../lib/files/bounded_file.ts";
import {
  type ClusterLocation,
  createVirtualMachines,
  joinFolder,
  type QemuSpec,
} from "../../../provisioners/mod.ts";
import { configureMachines, startKubernetes } from "../_start_cluster.ts";
import type { Context } from "../../_kit/mod.ts";
import { configurationFiles, refuseConfigurationFiles } from "../_cluster.ts";
import {
  createCluster,
  type CreatedRow,
  readableOsconfig,
  sayNext,
} from "../_create_cluster.ts";
import { reportPhases } from "../_phases.ts";
import type { FullInputs } from "./inputs.ts";
import { consolesIn, type PreparedVms, prepareVms } from "./prepare.ts";
import type { QemuRequest } from "./request.ts";

/** Creates and starts the cluster. */
export async function createVms(
  request: QemuRequest,
  given: Context<unknown>,
): Promise<CreatedRow> {
  const context = { ...given, input: request.input };
  const { note } = context;
  const osconfig = await readableOsconfig(request.osconfig, context);
  const prepared = await prepareVms(request, context);
  const { place, spec, bringUp } = prepared;
  const { configurations, plan: { machines } } = spec;
  if (bringUp.writesFiles) await refuseConfigurationFiles();
  const row = await createCluster(context, {
    place,
    osconfig,
    addsContext: !bringUp.isManaged,
    create: (options) => createVirtualMachines(place, spec, options),
    async prepare() {
      if (!bringUp.writesFiles) return;
      await writeConfigurations(machines, configurations, note);
    },
    async bringUp() {
      try {
        await bringUpNodes(prepared, context);
      } catch (error) {
        if (bringUp.printsConsoles) await printConsoles(place, machines, note);
        throw error;
      }
    },
  });
  sayNext(context.input.name, context, !bringUp.isManaged);
  return row;
}

/** Configures the nodes and starts Kubernetes, if requested. */
async function bringUpNodes(
  { place, spec, bringUp, isBegun }: PreparedVms,
  context: Context<FullInputs>,
): Promise<void> {
  const { access, configurations, plan: { machines } } = spec;
  const progress = reportPhases(context);
  if (bringUp.applies) {
    await configureMachines({
      // With an agent, nodes only listen in its tunnel until they are
      // configured.
      machines: machines.map(({ name, uuid, ips: [configured = ""] }) => {
        const waiting = spec.agent?.nodes[uuid] ?? configured;
        return { name, waiting, configured };
      }),
      configurations,
      waitMs: context.input.waitTimeout,
      consoles: consolesIn(place),
      progress,
      access,
      isContinued: isBegun,
    }, context);
  }
  if (bringUp.kubernetes !== undefined) {
    await startKubernetes({ ...bringUp.kubernetes, progress }, context);
  }
}

async function printConsoles(
  place: ClusterLocation,
  machines: QemuSpec["plan"]["machines"],
  note: (text: string) => void,
): Promise<void> {
  for (const { name } of machines) {
    const path = `${joinFolder(place)}/${name}.log`;
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

/** One file per role; machines of a role differ only by flags. */
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
