/** Protobuf field numbers of resource specs. */

import { tunnelName } from "../../talos.ts";

/**
 * One entry per type, without its domain: the keys of the YAML spec in the order of their numbers, from 1; `=7` if
 * numbers were skipped, `{…}` around the fields of a message, and `:kind` if the value does not determine how it is
 * encoded: a name in {@linkcode enumNumbers} or `spec_message.ts`. `@` is a spec without keys.
 */
export const specFields: string = `
APIServerConfigs.kubernetes: image cloudProvider controlPlaneEndpoint etcdServers localPort serviceCIDR extraArgs
  extraVolumes{name hostPath mountPath readonly} environmentVariables podSecurityPolicyEnabled advertisedAddress resources{requests limits}
  startupProbesEnabled=14 useAuthenticationConfig
AddressSpecs.net: address:prefix linkName family:Family scope:Scope flags:AddressFlags announceWithARP
  layer:ConfigLayer priority
AddressStatuses.net: address:prefix local:ip broadcast:ip anycast:ip multicast:ip linkIndex linkName family:Family
  scope:Scope flags:AddressFlags priority
AdjtimeStatuses.v1alpha1: offset:duration frequencyAdjustmentRatio:double maxError:duration estError:duration status
  constant syncStatus state
Affiliates.cluster: nodeId addresses:ip hostname nodename operatingSystem machineType:Type kubespan{publicKey
  address:ip additionalAddresses:prefix endpoints:ipport excludeAdvertisedNetworks:prefix} controlPlane{port}
ApiCertificates.secrets: client=2{crt:base64 key:base64} server{crt:base64 key:base64} acceptedCAs{crt:base64}
  skipVerifyingClientCert
APIServiceConfigs.runtime: listenAddress nodeRoutingDisabled readonlyRoleMode skipVerifyingClientCert
BlockDevices.block: type major minor partitionName partitionNumber generation devicePath parent secondaries
BootedEntries: bootedEntry
BootIDs.runtime: bootID
CertSANs.secrets: ips:ip dnsNames fqdn
ConfigStatuses.kubernetes: ready version
ControllerManagerConfigs.kubernetes: enabled image cloudProvider podCIDRs serviceCIDRs extraArgs
  extraVolumes{name hostPath mountPath readonly} environmentVariables resources{requests limits}
  nodeCIDRMaskSizeIPv4=12 nodeCIDRMaskSizeIPv6
DevicesStatuses.runtime: ready
Diagnostics.runtime: message details
DiscoveredVolumes.block: size sector_size io_size name uuid label block_size filesystem_block_size probed_size
  partition_uuid partition_type partition_label partition_index type device_path parent dev_path parent_dev_path
  pretty_size offset dev_dath=17
DiscoveryRefreshRequests.block: request
DiscoveryRefreshStatuses.block: request
Disks.block: size io_size sector_size readonly model serial modalias wwid bus_path sub_system transport rotational
  cdrom dev_path pretty_size secondary_disks uuid symlinks
DiscoveryConfigs.cluster: discoveryEnabled registryKubernetesEnabled registryServiceEnabled serviceEndpoint
  serviceEndpointInsecure serviceEncryptionKey:octets serviceClusterID serviceEndpoints{name endpoint insecure}
DNSResolveCaches.net: status
Endpoints.kubernetes: addresses:ip hosts
Environments.runtime: variables
EtcdConfigs.etcd: advertiseValidSubnets advertiseExcludeSubnets image extraArgs listenValidSubnets
  listenExcludeSubnets
EtcdMembers.etcd: memberID
EtcdSpecs.etcd: name advertisedAddresses:ip image extraArgs listenPeerAddresses:ip listenClientAddresses:ip
EtcFileStatuses.files: specVersion
EthernetStatuses.net: linkState port=3:Port duplex:Duplex
ExtensionStatuses.runtime: image metadata{name version author description compatibility{talos{version}}
  extraInfo}
ExtraManifestsConfigs.kubernetes: extraManifests
HardwareAddresses.net: name hardwareAddr:mac
HostDNSConfigs.net: enabled listenAddresses:ipport serviceHostDNSAddress:ip resolveMemberNames
HostnameSpecs.net: hostname domainname layer:ConfigLayer
HostnameStatuses.net: hostname domainname
Identities.cluster: nodeId
ImageCacheConfigs.cri: status:ImageCacheStatus roots copyStatus:ImageCacheCopyStatus
Infos.cluster: clusterId clusterName
KernelCmdlines.runtime: cmdline
KernelParamSpecs.runtime: value ignoreErrors
KernelParamStatuses.runtime: current default unsupported
KubeletSpecs.kubernetes: image args extraMounts{destination type source options} expectedNodename config:struct
  credentialProviderConfig:struct
KubePrismConfigs.kubernetes: host port endpoints{host port}
KubePrismEndpoints.kubernetes: endpoints{host port}
KubePrismStatuses.kubernetes: host healthy
KubernetesRootSecrets.secrets: name endpoint:url local_endpoint:url certSANs dnsDomain=6 issuingCA{crt:base64
  key:base64} serviceAccount{key:base64} aggregatorCA{crt:base64 key:base64} aesCBCEncryptionSecret bootstrapTokenID
  bootstrapTokenSecret secretboxEncryptionSecret apiServerIPs:ip acceptedCAs{crt:base64}
  etcdEncryptionConfig:struct acceptedAggregatorCAs{crt:base64} serviceAccountAcceptedKeys{key:base64} issuerURL
  acceptedIssuers apiAudiences
LinkSpecs.net: name logical up mtu kind type:LinkType layer=14:ConfigLayer
LinkStatuses.net: index type:LinkType linkIndex flags:LinkFlags hardwareAddr:mac broadcastAddr:mac mtu queueDisc
  masterIndex operationalState:OperationalState kind slaveKind busPath pciID driver driverVersion firmwareVersion
  productID vendorID product vendor linkState speedMbit port:Port duplex:Duplex permanentAddr=30:mac alias altNames
LoadedKernelModules.runtime: size referenceCount dependencies state address
MachineConfigs.config: @
MachineStatuses.runtime: stage:MachineStage status{ready unmetConditions{name reason}}
MachineTypes.config: @:Type
Manifests.kubernetes: items{@:struct}
ManifestStatuses.kubernetes: manifestsApplied
Members.cluster: nodeId addresses:ip hostname machineType:Type operatingSystem controlPlane{port}
MemoryModules.hardware: sizeMiB deviceLocator bankLocator speed manufacturer serialNumber assetTag productName
MetaKeys.runtime: value
MetaLoads.runtime: done
MountRequests.block: volumeID parentID requesters requesterIDs readOnly detached disableAccessTime secure noExec
MountStatuses.block: spec{volumeID parentID requesters requesterIDs readOnly detached disableAccessTime secure
  noExec} target source
  filesystem:FilesystemType readOnly projectQuotaSupport encryptionProvider:EncryptionProviderType detached
MountStatuses.runtime: source target filesystemType options encrypted encryptionProviders
Namespaces.meta: description
NetworkStatuses.net: addressReady connectivityReady hostnameReady etcFilesReady
NodeAnnotationSpecs.k8s: key value
NodeAddressFilters.net: includeSubnets:prefix excludeSubnets:prefix
NodeAddresses.net: addresses:prefix sortAlgorithm:AddressSortAlgorithm
NodeAddressSortAlgorithms.net: algorithm:AddressSortAlgorithm
NodeIPConfigs.kubernetes: validSubnets excludeSubnets
NodeIPs.kubernetes: addresses:ip
Nodenames.kubernetes: nodename hostnameVersion skipNodeRegistration
NodeLabelSpecs.k8s: key value
NodeTaintSpecs.k8s: key effect value
NodeStatuses.kubernetes: nodename nodeReady unschedulable labels annotations podCIDRs:prefix
OperatorSpecs.net: operator:Operator linkName requireUp dhcp4{routeMetric skipHostnameRequest
  clientIdentifier{clientIdentifier:ClientIdentifier duidRawHex}} layer=7:ConfigLayer
OSRootSecrets.secrets: issuingCA{crt:base64 key:base64} certSANIPs:ip certSANDNSNames token acceptedCAs{crt:base64}
PCIDevices.hardware: class subclass vendor product class_id subclass_id vendor_id product_id driver
PKIStatuses.etcd: ready version
PlatformMetadatas: platform hostname region zone instanceType instanceId providerId spot internalDNS externalDNS tags
Processors.hardware: socket manufacturer productName maxSpeedMhz bootSpeedMhz status serialNumber assetTag partNumber
  coreCount coreEnabled threadCount
RegistryConfigs.cri: mirrors:map{endpoints{endpoint overridePath} skipFallback=3}
ResolverSpecs.net: dnsServers:ip layer:ConfigLayer searchDomains
ResolverStatuses.net: dnsServers:ip searchDomains
ResourceDefinitions.meta: type displayType defaultNamespace aliases allAliases printColumns{name jsonPath}
  sensitivity:Sensitivity
RouteSpecs.net: family:Family dst:prefix src:ip gateway:ip outLinkName table:RoutingTable priority scope:Scope
  type:RouteType flags:RouteFlags protocol:RouteProtocol layer:ConfigLayer mtu
RouteStatuses.net: family:Family dst:prefix src:ip gateway:ip outLinkIndex outLinkName table:RoutingTable priority
  scope:Scope type:RouteType flags:RouteFlags protocol:RouteProtocol mtu
SBOMItems: name version license
SchedulerConfigs.kubernetes: enabled image extraArgs extraVolumes{name hostPath mountPath readonly}
  environmentVariables resources{requests limits} config:struct
SecretStatuses.kubernetes: ready version
SecurityStates: secureBoot ukiSigningKeyFingerprint pcrSigningKeyFingerprint selinuxState:SELinuxState bootedWithUKI
  fipsState:FIPSState moduleSignatureEnforced
Services.v1alpha1: running healthy unknown
${tunnelName}Configs.${tunnelName.toLowerCase()}: apiEndpoint host joinToken insecure tunnel
${tunnelName}Statuses.${tunnelName.toLowerCase()}: host connected linkName grpcTunnel
StaticPods.kubernetes: @:struct
StaticPodServerStatuses.kubernetes: url
StaticPodStatuses.kubernetes: @:struct
SystemDisks.block: diskID devPath
SystemInformations.hardware: manufacturer productName version serialnumber uuid wakeUpType skuNumber
TimeServerSpecs.net: timeServers layer:ConfigLayer
TimeServerStatuses.net: timeServers useNTS
TimeStatuses.v1alpha1: synced epoch syncDisabled spikeDetected consecutiveSpikes
UserDiskConfigStatuses.block: ready tornDown
Versions.runtime: version name
VolumeMountRequests.block: volumeID requester readOnly detached disableAccessTime secure noExec
VolumeMountStatuses.block: volumeID requester target readOnly detached disableAccessTime secure noExec
VolumeStatuses.block: phase:VolumePhase location errorMessage uuid partitionUUID preFailPhase:VolumePhase
  parentLocation partitionIndex size filesystem:FilesystemType mountLocation encryptionProvider:EncryptionProviderType
  prettySize encryptionFailedSyncs mountSpec{targetPath selinuxLabel projectQuotaSupport parentId} type:VolumeType
  configuredEncryptionKeys symlink{symlinkTargetPath force} parentID encryptionLockedToState encryptionSlot
  tpmEncryptionOptions{pcrs pubKeyPcrs}
`;

/** Numbers of enum values; in bit flags, values joined by commas are added. */
export const enumNumbers: Readonly<
  Record<string, Readonly<Record<string, number>>>
> = {
  AddressFlags: { permanent: 128 },
  AddressSortAlgorithm: { v1: 0, v2: 1 },
  ClientIdentifier: { none: 0, mac: 1, duid: 2 },
  ConfigLayer: {
    default: 0,
    cmdline: 1,
    platform: 2,
    operator: 3,
    configuration: 4,
  },
  Duplex: { Half: 0, Full: 1, Unknown: 255 },
  EncryptionProviderType: { none: 0, luks2: 1 },
  Family: { inet4: 2, inet6: 10 },
  FilesystemType: { none: 0, xfs: 1, vfat: 2, ext4: 3, iso9660: 4, swap: 5 },
  FIPSState: { disabled: 0, enabled: 1, "enabled, strict": 2 },
  ImageCacheCopyStatus: { unknown: 0, skipped: 1, copying: 2, ready: 3 },
  ImageCacheStatus: { unknown: 0, disabled: 1, preparing: 2, ready: 3 },
  LinkFlags: {
    UP: 1,
    BROADCAST: 2,
    LOOPBACK: 8,
    RUNNING: 64,
    MULTICAST: 4096,
    LOWER_UP: 65536,
  },
  LinkType: { netrom: 0, ether: 1, loopback: 772 },
  MachineStage: {
    unknown: 0,
    booting: 1,
    installing: 2,
    maintenance: 3,
    running: 4,
    rebooting: 5,
    "shutting down": 6,
    resetting: 7,
    upgrading: 8,
  },
  OperationalState: { unknown: 0, down: 2, up: 6 },
  Operator: { dhcp4: 0, dhcp6: 1, vip: 2 },
  Port: { TwistedPair: 0, None: 239, Other: 255 },
  RouteFlags: {},
  RouteProtocol: { kernel: 2, boot: 3, static: 4, dhcp: 16 },
  RouteType: { unspec: 0, unicast: 1, local: 2 },
  RoutingTable: { main: 254, local: 255 },
  Scope: { global: 0, site: 200, link: 253, host: 254, nowhere: 255 },
  SELinuxState: {
    disabled: 0,
    "enabled, permissive": 1,
    "enabled, enforcing": 2,
  },
  Sensitivity: { sensitive: 1 },
  Type: { unknown: 0, init: 1, controlplane: 2, worker: 3 },
  VolumePhase: {
    waiting: 0,
    failed: 1,
    missing: 2,
    located: 3,
    provisioned: 4,
    prepared: 5,
    ready: 6,
    closed: 7,
  },
  VolumeType: {
    partition: 0,
    disk: 1,
    tmpfs: 2,
    directory: 3,
    symlink: 4,
    overlay: 5,
  },
};
