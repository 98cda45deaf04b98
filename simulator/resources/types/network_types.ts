/** Types of resources about the network. */

import type { TypeGroup } from "../resource_definitions.ts";

/** Types of resources about the network, by group and default namespace. */
export const networkTypes: readonly TypeGroup[] = [{
  group: "net",
  namespace: "network",
  types: {
    AddressSpecs: {},
    AddressStatuses: {
      aliases: ["address", "addresses"],
      columns: { Address: "{.address}", Link: "{.linkName}" },
    },
    DNSResolveCaches: { columns: { Status: "{.status}" } },
    DNSUpstreams: { columns: { Healthy: "{.healthy}", Address: "{.addr}" } },
    DeviceConfigSpecs: { sensitive: true },
    EthernetSpecs: {},
    EthernetStatuses: {
      aliases: ["ethtool"],
      columns: { Link: "{.linkState}", Speed: "{.speedMbit}" },
    },
    HardwareAddresses: {},
    HostDNSConfigs: { columns: { Enabled: "{.enabled}" } },
    HostnameSpecs: {},
    HostnameStatuses: {
      aliases: ["hostname"],
      columns: { Hostname: "{.hostname}", Domainname: "{.domainname}" },
    },
    LinkAliasSpecs: { columns: { Alias: "{.alias}" } },
    LinkRefreshes: {},
    LinkSpecs: { sensitive: true },
    LinkStatuses: {
      aliases: ["link", "links"],
      columns: {
        Alias: "{.alias}",
        Type: "{.type}",
        Kind: "{.kind}",
        "Hw Addr": "{.hardwareAddr}",
        "Oper State": "{.operationalState}",
        "Link State": "{.linkState}",
      },
    },
    NetworkStatuses: {
      aliases: ["netstatus", "netstatuses"],
      columns: {
        Address: "{.addressReady}",
        Connectivity: "{.connectivityReady}",
        Hostname: "{.hostnameReady}",
        Etc: "{.etcFilesReady}",
      },
    },
    NfTablesChains: {
      aliases: ["chain", "chains"],
      columns: {
        Type: "{.type}",
        Hook: "{.hook}",
        Priority: "{.priority}",
        Policy: "{.policy}",
      },
    },
    NodeAddressFilters: {
      columns: {
        "Include Subnets": "{.includeSubnets}",
        "Exclude Subnets": "{.excludeSubnets}",
      },
    },
    NodeAddressSortAlgorithms: { columns: { Algorithm: "{.algorithm}" } },
    NodeAddresses: {
      columns: { Addresses: "{.addresses}", SortAlgorithm: "{.sortAlgorithm}" },
    },
    OperatorSpecs: { sensitive: true },
    PlatformConfigs: {},
    ProbeSpecs: {},
    ProbeStatuses: {
      aliases: ["probe", "probes"],
      columns: { Success: "{.success}" },
    },
    ResolverSpecs: {
      columns: {
        Layer: "{.layer}",
        Resolvers: "{.dnsServers}",
        "Search Domains": "{.searchDomains}",
      },
    },
    ResolverStatuses: {
      aliases: ["resolvers"],
      columns: {
        Resolvers: "{.dnsServers}",
        "Search Domains": "{.searchDomains}",
      },
    },
    RouteSpecs: {},
    RouteStatuses: {
      aliases: ["route", "routes"],
      columns: {
        Destination: "{.dst}",
        Gateway: "{.gateway}",
        Link: "{.outLinkName}",
        Metric: "{.priority}",
      },
    },
    TimeServerSpecs: {},
    TimeServerStatuses: {
      aliases: ["timeserver", "timeservers"],
      columns: { Timeservers: "{.timeServers}" },
    },
  },
}];
