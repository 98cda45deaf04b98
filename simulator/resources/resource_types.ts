/** All resource types of a node but those that describe types. */

import { tunnelName } from "../../dialect.ts";

/**
 * A block for each group: the part of the type between name and domain (`-` for none) and the default namespace, then
 * a line for each type: plural name, `!` when only administrators may read it, `~` when it has no other names than the
 * extra ones, extra short names in parentheses, and columns of tables with their paths in the spec.
 */
export const resourceTypes: string = `
k8s k8s
  NodeAnnotationSpecs!: Value=value
  NodeCordonedSpecs!
  NodeLabelSpecs!: Value=value
  NodeTaintSpecs!: Effect=effect, Value=value

kubernetes controlplane
  APIServerConfigs!
  AdmissionControlConfigs
  AuditPolicyConfigs!
  AuthorizationConfigs!
  BootstrapManifestsConfigs
  ConfigStatuses: Ready=ready, Secrets Version=version
  ControllerManagerConfigs
  Endpoints: Addresses=addresses, Hosts=hosts
  ExtraManifestsConfigs
  ManifestStatuses
  Manifests
  SchedulerConfigs
  SecretStatuses: Ready=ready, Secrets Version=version

kubernetes k8s
  KubePrismConfigs: Host=host, Port=port, Endpoints=endpoints
  KubePrismEndpoints: Hosts=endpoints[*].host, Ports=endpoints[*].port
  KubePrismStatuses: HOST=host, HEALTHY=healthy
  KubeletConfigs!
  KubeletKubeconfigs: Hash=hash
  KubeletLifecycles
  KubeletSpecs!
  NodeIPConfigs
  NodeIPs
  NodeStatuses: Ready=nodeReady, Unschedulable=unschedulable
  Nodenames: Nodename=nodename
  StaticPodServerStatuses
  StaticPodStatuses (podstatus): Ready=conditions[?(@.type=="Ready")].status
  StaticPods

kubespan config
  KubeSpanConfigs!

kubespan kubespan
  KubeSpanEndpoints: Endpoint=endpoint, Affiliate ID=affiliateID
  KubeSpanIdentities!: Address=address, PublicKey=publicKey
  KubeSpanPeerSpecs: Label=label, Endpoints=endpoints
  KubeSpanPeerStatuses: Label=label, Endpoint=endpoint, State=state, Rx=receiveBytes, Tx=transmitBytes

etcd etcd
  EtcdConfigs: Image=image
  EtcdMembers: Member ID=memberID
  EtcdSpecs: Name=name, AdvertisedAddresses=advertisedAddresses, ListenPeerAddresses=listenPeerAddresses, ListenClientAddresses=listenClientAddresses
  PKIStatuses: Ready=ready, Secrets Version=version

cri cri
  ImageCacheConfigs: Status=status, CopyStatus=copyStatus, Roots=roots
  RegistryConfigs!
  SeccompProfiles

block runtime
  BlockDevices: Type=type, PartitionName=partitionName, Generation=generation
  BlockSymlinks
  DiscoveredVolumes: Type=type, Size=pretty_size, Discovered=name, Label=label, PartitionLabel=partition_label
  DiscoveryRefreshRequests: Request=request
  DiscoveryRefreshStatuses: Request=request
  Disks: Size=pretty_size, Read Only=readonly, Transport=transport, Rotational=rotational, WWID=wwid, Model=model, Serial=serial
  MountRequests: Volume=volumeID, Parent=parentID, Requesters=requesters
  MountStatuses: Source=source, Target=target, Filesystem=filesystem, Volume=spec.volumeID
  SwapStatuses (swap, swaps): Device=device, Size=sizeHuman, Used=usedHuman, Priority=priority
  SystemDisks: Disk=diskID
  UserDiskConfigStatuses: Ready=ready
  VolumeConfigs!
  VolumeLifecycles
  VolumeMountRequests: Volume ID=volumeID, Requester=requester
  VolumeMountStatuses: Volume ID=volumeID, Requester=requester, Target=target
  VolumeStatuses: Type=type, Phase=phase, Location=location, Size=prettySize
  ZswapStatuses: Total Size=totalSizeHuman, Stored Pages=storedPages, Written Back=writtenBackPages, Pool Limit Hit=poolLimitHit

hardware hardware
  MemoryModules (memorymodules, ram): Manufacturer=manufacturer, Model=productName, SizeMiB=sizeMiB
  PCIDevices (devices, device): Class=class, Subclass=subclass, Vendor=vendor, Product=product
  PCRStatuses
  Processors (cpus, cpu): Manufacturer=manufacturer, Model=productName, Cores=coreCount, Threads=threadCount
  SystemInformations (systeminformation): Manufacturer=manufacturer, ProductName=productName, Version=version, SerialNumber=serialnumber, UUID=uuid, WakeUpType=wakeUpType, SKUNumber=skuNumber

secrets secrets
  ApiCertificates!
  CertSANs!
  EncryptionSalts!
  EtcdRootSecrets!
  EtcdSecrets!
  KubeletSecrets!
  KubernetesDynamicCerts!
  KubernetesRootSecrets!
  KubernetesSecrets!
  MaintenanceRootSecrets!
  MaintenanceServiceCertificates!
  OSRootSecrets!
  TrustdCertificates!

${tunnelName.toLowerCase()} config
  ${tunnelName}Configs!: API Endpoint=apiEndpoint, Tunnel=tunnel
  ${tunnelName}Statuses: Host=host, Connected=connected
  ${tunnelName}Tunnels!: API Endpoint=apiEndpoint, Link name=linkName, MTU=mtu, Node address=nodeAddress

net network
  AddressSpecs
  AddressStatuses (address, addresses): Address=address, Link=linkName
  DNSResolveCaches: Status=status
  DNSUpstreams: Healthy=healthy, Address=addr
  DeviceConfigSpecs!
  EthernetSpecs
  EthernetStatuses (ethtool): Link=linkState, Speed=speedMbit
  HardwareAddresses
  HostDNSConfigs: Enabled=enabled
  HostnameSpecs
  HostnameStatuses (hostname): Hostname=hostname, Domainname=domainname
  LinkAliasSpecs: Alias=alias
  LinkRefreshes
  LinkSpecs!
  LinkStatuses (link, links): Alias=alias, Type=type, Kind=kind, Hw Addr=hardwareAddr, Oper State=operationalState, Link State=linkState
  NetworkStatuses (netstatus, netstatuses): Address=addressReady, Connectivity=connectivityReady, Hostname=hostnameReady, Etc=etcFilesReady
  NfTablesChains (chain, chains): Type=type, Hook=hook, Priority=priority, Policy=policy
  NodeAddressFilters: Include Subnets=includeSubnets, Exclude Subnets=excludeSubnets
  NodeAddressSortAlgorithms: Algorithm=algorithm
  NodeAddresses: Addresses=addresses, SortAlgorithm=sortAlgorithm
  OperatorSpecs!
  PlatformConfigs
  ProbeSpecs
  ProbeStatuses (probe, probes): Success=success
  ResolverSpecs: Layer=layer, Resolvers=dnsServers, Search Domains=searchDomains
  ResolverStatuses (resolvers): Resolvers=dnsServers, Search Domains=searchDomains
  RouteSpecs
  RouteStatuses (route, routes): Destination=dst, Gateway=gateway, Link=outLinkName, Metric=priority
  TimeServerSpecs
  TimeServerStatuses (timeserver, timeservers): Timeservers=timeServers

- runtime
  BootedEntries: Booted Entry=bootedEntry
  OOMActions! (oomaction, oomactions): Time=time, Score=score
  PlatformMetadatas: Platform=platform, Type=instanceType, Region=region, Zone=zone
  SBOMItems (sbom, sboms): Version=version, License=license, Extension=extension
  SecurityStates: SecureBoot=secureBoot, UKISigningKeyFingerprint=ukiSigningKeyFingerprint, PCRSigningKeyFingerprint=pcrSigningKeyFingerprint, SELinuxState=selinuxState, ModuleSignatureEnforced=moduleSignatureEnforced

runtime hardware
  PCIDriverRebindConfigs: Name=name, PCI ID=pciID, TargetDriver=targetDriver
  PCIDriverRebindStatuses (pcidriverrebinds): Name=name, PCI ID=pciID, TargetDriver=targetDriver

runtime runtime
  DevicesStatuses: Ready=ready
  Diagnostics: Message=message
  EventSinkConfigs
  ExtensionServiceConfigStatuses
  ExtensionServiceConfigs!
  ExtensionStatuses (extensions): Name=metadata.name, Version=metadata.version
  KernelCmdlines (cmdline): Cmdline=cmdline
  KernelModuleSpecs
  KernelParamDefaultSpecs
  KernelParamSpecs
  KernelParamStatuses (sysctls, kernelparameters, kernelparams): Current=current, Default=default, Unsupported=unsupported
  KmsgLogConfigs
  LoadedKernelModules (module, modules): State=state
  MachineResetSignals
  MachineStatuses: Stage=stage, Ready=status.ready
  MaintenanceServiceConfigs
  MaintenanceServiceRequests
  MetaKeys (meta): Value=value
  MetaLoads: Done=done
  MountStatuses~ (mounts): Source=source, Target=target, Filesystem Type=filesystemType
  UniqueMachineTokens: Token=token
  Versions: Version=version
  WatchdogTimerConfigs: Device=device, Timeout=timeout
  WatchdogTimerStatuses: Device=device, Timeout=timeout

v1alpha1 runtime
  AcquireConfigSpecs
  AcquireConfigStatuses
  AdjtimeStatuses: Offset=offset, EstError=estError, MaxError=maxError, Status=status, Sync=syncStatus
  Services (svc): Running=running, Healthy=healthy, Health Unknown=unknown
  TimeStatuses: Synced=synced

perf perf
  CPUStats: User=cpuTotal.user, System=cpuTotal.system
  MemoryStats: Used=used, Total=total

files files
  EtcFileSpecs!
  EtcFileStatuses

config config
  MachineConfigs!
  MachineTypes: Type=@

cluster cluster
  Affiliates: Hostname=hostname, Machine Type=machineType, Addresses=addresses
  Identities: ID=nodeId
  Infos: Cluster ID=clusterId, Cluster Name=clusterName
  Members: Hostname=hostname, Machine Type=machineType, OS=operatingSystem, Addresses=addresses

cluster config
  DiscoveryConfigs!
  KubernetesAccessConfigs
`;
