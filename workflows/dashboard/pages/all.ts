import { clusterPage } from "./cluster.ts";
import { etcdPage } from "./etcd.ts";
import { logsPage } from "./logs.ts";
import { monitorPage } from "./monitor.ts";
import { networkPage } from "./network.ts";
import type { Page } from "./page.ts";
import { resourcesPage } from "./resources.ts";
import { runsPage } from "./runs.ts";
import { summaryPage } from "./summary.ts";

/** All pages. */
export const pages: readonly Page[] = [
  summaryPage,
  monitorPage,
  logsPage,
  clusterPage,
  etcdPage,
  runsPage,
  resourcesPage,
  networkPage,
];

export { clusterPage, logsPage, networkPage, summaryPage };
