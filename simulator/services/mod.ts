/** All methods of a node; those without a handler are known but not implemented. */

import { ClusterServiceDefinition } from "../../transport/gen/cluster.ts";
import { StateDefinition } from "../../transport/gen/cosi_resource.ts";
import { InspectServiceDefinition } from "../../transport/gen/inspect.ts";
import { MachineServiceDefinition } from "../../transport/gen/machine.ts";
import { DebugServiceDefinition } from "../../transport/gen/machine_debug.ts";
import { ImageServiceDefinition } from "../../transport/gen/machine_image.ts";
import { LifecycleServiceDefinition } from "../../transport/gen/machine_lifecycle.ts";
import { LVMServiceDefinition } from "../../transport/gen/machine_lvm.ts";
import { MDServiceDefinition } from "../../transport/gen/machine_md.ts";
import { SecurityServiceDefinition } from "../../transport/gen/securityapi.ts";
import { StorageServiceDefinition } from "../../transport/gen/storage.ts";
import { TimeServiceDefinition } from "../../transport/gen/time.ts";
import { listRoutes, type MethodRoute } from "./handlers.ts";
import { applyConfiguration } from "./apply_configuration.ts";
import { clientConfiguration } from "./client_configuration.ts";
import { clusterHealth } from "./cluster_health.ts";
import { debug } from "./debug.ts";
import { bootstrap, etcd, etcdDowngrade } from "./etcd.ts";
import { events } from "./events.ts";
import { files } from "./files.ts";
import { images, machineImages } from "./images.ts";
import { inspect } from "./inspect.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { lifecycle } from "./lifecycle.ts";
import { logs } from "./logs.ts";
import { meta } from "./meta.ts";
import { packetCapture } from "./packet_capture.ts";
import { power, reset } from "./reset.ts";
import { resourceState } from "./resource_state.ts";
import { restart, runtimeState } from "./runtime_state.ts";
import { services } from "./services.ts";
import { lvm, softwareRaid, storage } from "./storage.ts";
import { memory, systemStats } from "./system_stats.ts";
import { upgrades } from "./upgrade.ts";
import { time, version } from "./version.ts";

/** Routes of every service by path. */
export const routes: ReadonlyMap<string, MethodRoute> = new Map([
  ...listRoutes(MachineServiceDefinition, {
    ...applyConfiguration,
    ...bootstrap,
    ...clientConfiguration,
    ...etcd,
    ...etcdDowngrade,
    ...events,
    ...files,
    ...kubeconfig,
    ...logs,
    ...machineImages,
    ...memory,
    ...meta,
    ...packetCapture,
    ...power,
    ...reset,
    ...restart,
    ...runtimeState,
    ...services,
    ...systemStats,
    ...upgrades,
    ...version,
  }),
  ...listRoutes(StateDefinition, resourceState),
  ...listRoutes(ClusterServiceDefinition, clusterHealth),
  ...listRoutes(InspectServiceDefinition, inspect),
  ...listRoutes(StorageServiceDefinition, storage),
  ...listRoutes(TimeServiceDefinition, time),
  ...listRoutes(ImageServiceDefinition, images),
  ...listRoutes(LifecycleServiceDefinition, lifecycle),
  ...listRoutes(LVMServiceDefinition, lvm),
  ...listRoutes(MDServiceDefinition, softwareRaid),
  ...listRoutes(DebugServiceDefinition, debug),
  ...listRoutes(SecurityServiceDefinition),
].map((route) => [route.path, route]));
