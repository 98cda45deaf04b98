/** Reads a cluster from its containers and network, without a state file. */

import type { LocalCluster, LocalNode } from "../state.ts";
import { type ContainerEngine, portHost } from "./engine.ts";
import {
  apiPort,
  kubernetesPort,
  labelFilters,
  labels,
  mtuOption,
} from "./spec.ts";

interface LiveContainers {
  /** As in the state file. */
  readonly info: LocalCluster["clusterinfo"];
  /** Names of running nodes. */
  readonly running: readonly string[];
}

/** Reads a cluster from the engine. Returns `undefined` if it has no objects of the cluster. */
export async function readContainers(
  { api, place }: ContainerEngine,
  name: string,
): Promise<LiveContainers | undefined> {
  const filters = labelFilters(name);
  const [networks, containers] = await Promise.all([
    api.listNetworks({ filters }),
    api.listContainers({ all: true, filters }),
  ]);
  const [network] = networks;
  if (network === undefined && containers.length === 0) return undefined;
  const running: string[] = [];
  let kubernetes = "";
  const nodes = await Promise.all(
    containers.map(async ({ Id }): Promise<LocalNode> => {
      const found = await api.getContainer(Id).inspect();
      const { Name, Config, HostConfig, NetworkSettings, State } = found;
      const own = Name.replace(/^\//, "");
      if (State.Running) running.push(own);
      const bindings: Record<string, { HostPort?: string }[] | undefined> =
        HostConfig.PortBindings ?? {};
      const publishPort = (port: number) =>
        bindings[`${port}/tcp`]?.[0]?.HostPort ?? "";
      kubernetes ||= publishPort(kubernetesPort);
      const endpoint = Object.values(NetworkSettings.Networks)[0];
      const ip = endpoint?.IPAddress || endpoint?.IPAMConfig?.IPv4Address;
      return {
        id: Id,
        uuid: "00000000-0000-0000-0000-000000000000",
        name: own,
        type: Config.Labels[labels.type] ?? "",
        nanocpus: HostConfig.NanoCpus ?? 0,
        memory: HostConfig.Memory ?? 0,
        disksize: 0,
        ips: ip ? [ip] : [],
        apiport: Number(publishPort(apiPort)),
      };
    }),
  );
  const settings = network?.IPAM?.Config?.[0];
  // Docker's option, then Podman's.
  const mtu = network?.Options?.[mtuOption] ?? network?.Options?.mtu;
  return {
    running,
    info: {
      clustername: name,
      network: {
        name: network?.Name ?? name,
        cidrs: settings?.Subnet === undefined ? [] : [settings.Subnet],
        gatewayaddrs: settings?.Gateway === undefined ? [] : [settings.Gateway],
        mtu: Number(mtu ?? 0),
      },
      nodes,
      kubernetesendpoint: kubernetes === ""
        ? ""
        : `https://${portHost(place)}:${kubernetes}`,
    },
  };
}
