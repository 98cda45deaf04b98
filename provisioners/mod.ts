/** Local clusters: what all provisioners share, and the one that simulates nodes. */

export { runs } from "./background.ts";
export {
  createEmbedded,
  type EmbeddedAccess,
  type EmbeddedSpec,
  removeEmbedded,
  serveEmbedded,
  startEmbedded,
} from "./embedded.ts";
export {
  changeFaults,
  knownFaults,
  type WantedFault,
  wantedFaults,
} from "./faults.ts";
export {
  clusterNames,
  type ClusterPlace,
  folderOf,
  type LocalCluster,
  type LocalNode,
  readState,
  writeState,
} from "./state.ts";
