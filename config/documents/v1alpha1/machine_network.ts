/** `machine.network`. */

import { fieldTable } from "../table.ts";

const route = fieldTable`
network | text, always | Destination network; empty for a default route
gateway | text, always | Gateway; empty if the network is directly connected
source  | text | Source address for packets that use this route
metric  | u32 | Metric; the route with the lowest metric is preferred
mtu     | u32 | MTU of the route, in bytes
`;

const dhcpOptions = fieldTable`
routeMetric | u32, always, default 1024 | Metric of routes received from the server
ipv4        | boolean, optional, default true | Enables DHCP for IPv4
ipv6        | boolean, optional, default false | Enables DHCP for IPv6
duidv6      | text | DUID for DHCPv6, in hexadecimal
`;

const vip = fieldTable`
ip           | text | The virtual IP
equinixMetal | struct, optional | The address is moved by this provider's API
  apiToken   | string, always, secret | API token of the provider
hcloud       | struct, optional | The address is moved by this provider's API
  apiToken   | string, always, secret | API token of the provider
`;

const deviceSelector = fieldTable`
busPath       | text | Bus path; may contain wildcards
hardwareAddr  | text | Current hardware address; may contain wildcards
permanentAddr | text, since 1.9 | Permanent hardware address; may contain wildcards
pciID         | text | PCI vendor and product id; may contain wildcards
driver        | text | Kernel driver; may contain wildcards
physical      | boolean, optional | Whether the device is physical
`;

/** Several devices as one link. */
export const bond = fieldTable`
interfaces      | list(text), always | Names of the member interfaces
deviceSelectors | list(struct(${deviceSelector})) | Selects the member interfaces by their properties
arpIPTarget     | list(text) | IPv4 addresses to probe with ARP; not supported by nodes
mode            | words(balance-rr active-backup balance-xor broadcast 802.3ad balance-tlb balance-alb), always, default balance-rr | Bonding mode
xmitHashPolicy  | words(layer2 layer3+4 layer2+3 encap2+3 encap3+4), default layer2 | Transmit hash policy
lacpRate        | words(slow fast), default slow | Rate at which the partner is asked to send LACP packets
adActorSystem   | text | LACP system address; not supported by nodes
arpValidate     | words(none active backup all filter filter-active filter-backup), default none | Links on which ARP probes and replies are validated
arpAllTargets   | words(any all), default any | Whether any or all probed addresses must reply for a link to be up
primary         | text | Primary interface, active whenever it is up
primaryReselect | words(always better failure), default always | When the primary link becomes active again
failOverMac     | words(none active follow), default none | How hardware addresses change on failover
adSelect        | words(stable bandwidth count), default stable | How the active 802.3ad aggregator is selected
miimon          | u32 | MII link monitoring interval, in milliseconds
updelay         | u32 | Delay before a link that came up is used, in milliseconds
downdelay       | u32 | Delay before a link that went down is disabled, in milliseconds
arpInterval     | u32 | Interval between ARP probes, in milliseconds
resendIgmp      | u32 | Number of IGMP reports sent after a failover
minLinks        | u32 | Minimum number of links that must be up for the bond to be up
lpInterval      | u32 | Interval between learning packets sent to switches, in seconds
packetsPerSlave | u32 | Packets to send over one link before moving to the next
numPeerNotif    | u8 | Number of peer notifications sent after a failover
tlbDynamicLb    | u8 | Whether balance-tlb distributes flows by load, 0 or 1
allSlavesActive | u8 | Whether backup links accept received packets, 0 or 1
useCarrier      | boolean, optional, default true | Uses the driver's carrier state instead of MII registers
adActorSysPrio  | u16 | LACP system priority
adUserPortKey   | u16 | Upper bits of the LACP port key
peerNotifyDelay | u32 | Delay between peer notifications, in milliseconds
`;

/** The node's network. */
export const network = fieldTable`
hostname                       | text, deprecated HostnameConfig | Hostname of the node
interfaces                     | list(struct), key interface deviceSelector, deprecated LinkConfig | Network interfaces
  interface                    | text | Name of the interface
  deviceSelector               | struct(${deviceSelector}), optional | Selects the interface by its properties
  addresses                    | list(text) | Addresses; with prefix lengths unless they are single hosts
  cidr                         | text, deprecated addresses | Address with prefix length
  routes                       | gaps(struct(${route})) | Static routes
  bond                         | struct(${bond}), optional | Makes the interface a bond of other interfaces
  bridge                       | struct, optional | Makes the interface a bridge of other interfaces
    interfaces                 | list(text), always | Names of the links to add as ports
    stp                        | struct, optional | Spanning Tree Protocol (STP) settings
      enabled                  | boolean, optional, default true | Enables STP
    vlan                       | struct, optional | VLAN settings
      vlanFiltering            | boolean, optional, default false | Enables VLAN filtering
  bridgePort                   | struct, optional, since 1.9 | Makes the interface a port of a bridge
    master                     | text | Name of the bridge
  vlans                        | list(struct), key vlanId | VLANs on the interface
    addresses                  | list(text) | Addresses with prefix lengths
    cidr                       | text, deprecated addresses | Address with prefix length
    routes                     | gaps(struct(${route})), always | Static routes
    dhcp                       | boolean, optional, default false | Enables DHCP
    vlanId                     | u16, always | VLAN ID
    mtu                        | u32 | MTU, in bytes
    vip                        | struct(${vip}), optional | Virtual IP (VIP) shared by control planes
    dhcpOptions                | struct(${dhcpOptions}), optional | DHCP options
  mtu                          | int | MTU, in bytes
  dhcp                         | boolean, optional, default false | Enables DHCP
  ignore                       | boolean, optional, default false | Ignores the interface
  dummy                        | boolean, optional, default false | Makes the interface a dummy interface
  dhcpOptions                  | struct(${dhcpOptions}), optional | DHCP options
  wireguard                    | struct, optional | Makes the interface a WireGuard tunnel
    privateKey                 | string, secret | Private key, 32 bytes in base64
    listenPort                 | int | UDP port to listen on
    firewallMark               | int | Firewall mark of packets the tunnel sends
    peers                      | gaps(struct) | WireGuard peers
      publicKey                | text | Public key, 32 bytes in base64
      endpoint                 | text | Endpoint of the peer, host:port
      persistentKeepaliveInterval | duration | Interval between keepalive packets
      allowedIPs               | list(text) | Networks routed to the peer
  vip                          | struct(${vip}), optional | Virtual IP (VIP) shared by control planes
nameservers                    | list(text), deprecated ResolverConfig | DNS servers
searchDomains                  | list(text), deprecated ResolverConfig, since 1.9 | Search domains for names without a dot
extraHostEntries               | gaps(struct), deprecated StaticHostConfig | Static entries for /etc/hosts
  ip                           | text, always | IP address
  aliases                      | list(text), always | Hostnames that resolve to the address
kubespan                       | struct, optional | Encrypted mesh between all nodes of the cluster (KubeSpan)
  = {"enabled": true, "mtu": 1420}
  enabled                      | boolean, optional, default false | Enables KubeSpan
  advertiseKubernetesNetworks  | boolean, optional, default false | Routes pod traffic over KubeSpan instead of the CNI
  allowDownPeerBypass          | boolean, optional, default false | Sends traffic unencrypted while a peer is down, instead of dropping it
  harvestExtraEndpoints        | boolean, optional, default false | Publishes the endpoints at which peers are seen
  mtu                          | u32, optional, default 1420 | MTU of the KubeSpan link, in bytes, at least 1280
    = 1380
  filters                      | struct, optional | Filters for advertised endpoints and networks
    = {"endpoints": ["0.0.0.0/0", "::/0"], "excludeAdvertisedNetworks": ["192.0.2.0/24"]}
    endpoints                  | list(text) | Subnets of addresses to advertise as endpoints; ! excludes one
      = ["0.0.0.0/0", "!192.0.2.0/24", "::/0"]
    excludeAdvertisedNetworks  | list(text), since 1.12 | Networks not to advertise to peers
      = ["192.0.2.0/24", "2001:db8::/32"]
disableSearchDomain            | boolean, optional, default false, deprecated ResolverConfig | Disables search domains
`;
