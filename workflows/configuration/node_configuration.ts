/** Facts of a node's running configuration, independent of its version's schema. */

import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { readLearning } from "../../config/documents/load.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import {
  machineConfigurationType,
  renderMachineConfiguration,
} from "../../transport/node/machine_configuration.ts";
import { unlessHidden } from "../../transport/node/read_resource.ts";

/** Timeout for the request, in milliseconds. */
const deadlineMs = 10_000;

/** Facts of a configuration; unset ones are `undefined` or empty. */
interface NodeConfiguration {
  /** `controlplane`, `worker` or `init`. */
  readonly machineType: string | undefined;
  readonly endpoint: string | undefined;
  readonly installImage: string | undefined;
  readonly kernelArguments: readonly string[];
  readonly nodeLabels: Readonly<Record<string, string>>;
}

/**
 * Reads the running configuration of a node.
 *
 * @returns `undefined` when the node has none, or does not show it.
 */
export async function readNodeConfiguration(
  { node, state }: Pick<NodeClient, "node" | "state">,
): Promise<NodeConfiguration | undefined> {
  const answer = await unlessHidden(state.get({
    namespace: "config",
    type: machineConfigurationType,
    id: "v1alpha1",
    options: {},
  }, { deadlineMs }));
  const { resource } = answer ?? {};
  const text = resource === undefined
    ? ""
    : renderMachineConfiguration(resource);
  const documents = readLearning(text, `configuration of ${node}`)
    .map(toCursor);
  return documents.length === 0 ? undefined : toConfiguration(documents);
}

/** Since v1.14 most facts have separate documents, and the main one must not contain them. */
function toConfiguration(documents: readonly Cursor[]): NodeConfiguration {
  const of = (kind: string | undefined) =>
    documents.find((root) => root.get("kind").text() === kind);
  const main = of(undefined);
  const install = main?.get("machine", "install");
  const labels = [
    ...of("KubeNodeConfig")?.get("labels").entries() ?? [],
    ...main?.get("machine", "nodeLabels").entries() ?? [],
  ];
  return {
    machineType: main?.get("machine", "type").text(),
    endpoint: of("KubeClusterConfig")?.get("endpoint").text() ??
      main?.get("cluster", "controlPlane", "endpoint").text(),
    installImage:
      of("UnattendedInstallConfig")?.get("installer", "image").text() ||
      install?.get("image").text() || undefined,
    kernelArguments: install?.get("extraKernelArgs").items()
      .flatMap((item) => item.text() ?? []) ?? [],
    nodeLabels: Object.fromEntries(
      labels.map(([name, value]) => [name, value.text() ?? ""]),
    ),
  };
}
