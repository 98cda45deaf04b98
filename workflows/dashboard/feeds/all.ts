export { etcd, type EtcdMember, type EtcdView } from "./etcd.ts";
export {
  conditionStyle,
  conditionText,
  formatValue,
  type Health,
  health,
} from "./health.ts";
export {
  containers,
  kernelLog,
  logNames,
  type LogTail,
  logTail,
  services,
  type ServiceState,
} from "./logs.ts";
export {
  type Metrics,
  metrics,
  type ProcessShare,
  type Vitals,
  vitals,
} from "./metrics.ts";
export {
  readSpec,
  type ResourceMap,
  resources,
  specsIn,
  types,
} from "./resources.ts";
export {
  type RunDetail,
  type RunFeeds,
  runFeeds,
  type RunLine,
} from "./runs.ts";
