export { etcd, type EtcdMember, type EtcdView } from "./etcd.ts";
export {
  conditionStyle,
  conditionText,
  type Health,
  health,
  formatValue as textOf,
} from "./health.ts";
export {
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
  type ResourceMap,
  resources,
  readSpec as specOf,
  specsIn,
  types,
} from "./resources.ts";
export {
  type RunDetail,
  type RunFeeds,
  runFeeds,
  type RunLine,
} from "./runs.ts";
