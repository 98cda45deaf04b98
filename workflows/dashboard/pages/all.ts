import { containersPage } from "./containers.ts";
import { etcdPage } from "./etcd.ts";
import { logsPage } from "./logs.ts";
import { monitorPage } from "./monitor.ts";
import { networkPage } from "./network.ts";
import { nodesPage } from "./nodes.ts";
import type { Page } from "./page.ts";
import { resourcesPage } from "./resources.ts";
import { runsPage } from "./runs.ts";
import { servicesPage } from "./services.ts";
import { summaryPage } from "./summary.ts";

/** All pages. */
export const pages: readonly Page[] = [
  summaryPage,
  monitorPage,
  logsPage,
  nodesPage,
  etcdPage,
  runsPage,
  resourcesPage,
  networkPage,
  servicesPage,
  containersPage,
];

export { logsPage, networkPage, nodesPage, resourcesPage, summaryPage };
