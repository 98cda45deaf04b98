/** Local clusters: what all provisioners share, and the one that simulates nodes. */

export { isRunning } from "./background.ts";
export { createEmbedded, removeEmbedded, startEmbedded } from "./embedded.ts";
export {
  clusterNotFound,
  type EmbeddedAccess,
  embeddedCa,
  embeddedConfigurations,
  type EmbeddedSpec,
  paceNames,
} from "./embedded_folder.ts";
export { chooseEtcd, etcdKinds } from "./etcd_choice.ts";
export {
  changeFaults,
  faultNames,
  knownFaults,
  type WantedFault,
  wantedFaults,
} from "./faults.ts";
export { changePower, powerActions, poweredOff } from "./power.ts";
export { serveEmbedded } from "./serve.ts";
export {
  defaultVersions,
  kubernetesFor,
  playedRelease,
} from "../simulator/node/release.ts";
export {
  type ClusterLocation,
  clusterNames,
  folderOf,
  type LocalCluster,
  type LocalNode,
  readState,
} from "./state.ts";
