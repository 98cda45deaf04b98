/** Inputs and outputs of the controllers of a node: `InspectService`. */

import { domain } from "../../talos.ts";
import {
  type ControllerDependencyEdge,
  DependencyEdgeType as Kind,
  type InspectServiceDefinition,
} from "../../transport/gen/inspect.ts";
import type { SimulatedNode } from "../state/node.ts";
import { findMinor } from "../release/release.ts";
import { toKey } from "../node/contents/content.ts";
import { definitionsFor } from "../resources/resource_definitions.ts";
import type { Handlers } from "./handlers.ts";

/** `ControllerRuntimeDependencies`. */
export const inspect: Handlers<typeof InspectServiceDefinition> = {
  controllerRuntimeDependencies: (_, { node }) => {
    const outputs = listOutputs(node);
    const controllers = new Set(outputs.map((edge) => edge.controllerName));
    const types = new Set(
      definitionsFor(findMinor(node)).values().map(({ type }) => type),
    );
    const inputs = inputTable.flatMap(listInputs)
      .filter(({ controllerName, resourceType }) =>
        controllers.has(controllerName) && types.has(resourceType)
      );
    const edges = [...outputs, ...inputs].sort((a, b) =>
      Number(a.controllerName > b.controllerName) -
      Number(a.controllerName < b.controllerName)
    );
    return { messages: [{ edges }] };
  },
};

function listOutputs(
  node: SimulatedNode,
): readonly ControllerDependencyEdge[] {
  const { boot: { resources } } = node;
  return [...definitionsFor(findMinor(node)).values()].flatMap(
    ({ type, defaultNamespace: namespace }) => {
      const owners = new Set(
        resources.list({ namespace, type }).map(({ owner = "" }) => owner),
      );
      owners.delete("");
      const edgeType = owners.size > 1
        ? Kind.OUTPUT_SHARED
        : Kind.OUTPUT_EXCLUSIVE;
      return [...owners].map((controllerName) => ({
        controllerName,
        edgeType,
        // Outputs have no namespace.
        resourceNamespace: "",
        resourceType: type,
        resourceId: "",
      }));
    },
  );
}

/** Inputs of controllers: `!` prefix for required ones, a resource ID after `/`. */
const inputTable: readonly (readonly [controller: string, inputs: string])[] = [
  ["block.DiscoveryController", "!BlockDevices.block"],
  ["block.DisksController", "!BlockDevices.block"],
  ["block.SystemDiskController", "DiscoveredVolumes.block"],
  [
    "block.VolumeManagerController",
    "DiscoveredVolumes.block !Disks.block MachineConfigs.config/v1alpha1",
  ],
  ["cluster.AffiliateMergeController", "Identities.cluster"],
  ["cluster.InfoController", "MachineConfigs.config/v1alpha1"],
  ["cluster.MemberController", "Affiliates.cluster"],
  ["config.MachineTypeController", "MachineConfigs.config/v1alpha1"],
  [
    "etcd.SpecController",
    "HostnameStatuses.net/hostname NodeAddresses.net/routed",
  ],
  ["k8s.ControlPlaneStaticPodController", "Nodenames.kubernetes"],
  ["k8s.KubePrismController", "Members.cluster"],
  [
    "k8s.KubeletSpecController",
    "Nodenames.kubernetes/nodename NodeIPs.kubernetes/kubelet",
  ],
  ["k8s.KubeletStaticPodController", "!StaticPods.kubernetes"],
  ["k8s.ManifestApplyController", "Manifests.kubernetes"],
  ["k8s.NodeIPController", "NodeAddresses.net"],
  ["k8s.NodenameController", "HostnameStatuses.net/hostname"],
  ["network.NodeAddressController", "AddressStatuses.net LinkStatuses.net"],
  ["network.StatusController", "NodeAddresses.net HostnameStatuses.net"],
  [
    "secrets.APICertSANsController",
    "NodeAddresses.net/accumulative HostnameStatuses.net/hostname",
  ],
  ["secrets.APIController", "CertSANs.secrets !OSRootSecrets.secrets"],
  ["secrets.RootOSController", "MachineConfigs.config/v1alpha1"],
  ["time.SyncController", "TimeServerStatuses.net/timeservers"],
];

function listInputs(
  [controllerName, inputs]: readonly [string, string],
): readonly ControllerDependencyEdge[] {
  return inputs.split(" ").map((input) => {
    const [name = "", resourceId = ""] = input.replace("!", "").split("/");
    const type = `${name}.${domain}`;
    return {
      controllerName,
      edgeType: input.startsWith("!") ? Kind.INPUT_STRONG : Kind.INPUT_WEAK,
      resourceNamespace: toKey({ type: name, id: "" }).namespace,
      resourceType: type,
      resourceId,
    };
  });
}
