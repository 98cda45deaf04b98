/** Resource types of all versions, except for those that describe types. */

import { tunnelName } from "../../talos.ts";

/**
 * One block per group: the part of the type between name and domain (`-` for none) and the default namespace, then
 * one line per type: plural name, `!` if only administrators may read it, `~` if it has no aliases except the
 * extra ones, the minor versions that have it (`-11` up to, `10-` since; default all), extra short names in parentheses,
 * and table columns with their paths in the spec. A type that differs in other versions has another line for them.
 */
export const resourceTypes: string = `
k8s k8s
  NodeAnnotationSpecs!: Value=value
  NodeCordonedSpecs!
  NodeLabelSpecs!: Value=value
  NodeTaintSpecs!: Effect=effect, Value=value

kubernetes controlplane
  AdmissionControlConfigs
  APIServerConfigs -11
  APIServerConfigs! 12-
  AuditPolicyConfigs!
  AuthenticationConfigs! 14-
  AuthorizationConfigs 9-11
  AuthorizationConfigs! 12-
  BootstrapManifestsConfigs
  ConfigStatuses: Ready=ready, Secrets Version=version
  ControllerManagerConfigs
  Endpoints -11: Addresses=addresses
  Endpoints 12-: Addresses=addresses, Hosts=hosts
  ExtraManifestsConfigs
  Manifests
  ManifestStatuses
  SchedulerConfigs
  SecretStatuses: Ready=ready, Secrets Version=version

kubernetes k8s
  EtcdEncryptionConfigs! 14-
  KubeletConfigs -11
  KubeletConfigs! 12-
  KubeletKubeconfigs 12-: Hash=hash
  KubeletLifecycles
  KubeletSpecs -11
  KubeletSpecs! 12-
  KubeletStatuses 14-: Image=image
  KubePrismConfigs: Host=host, Port=port, Endpoints=endpoints
  KubePrismEndpoints: Hosts=endpoints[*].host, Ports=endpoints[*].port
  KubePrismStatuses: HOST=host, HEALTHY=healthy
  NodeIPConfigs
  NodeIPs
  Nodenames: Nodename=nodename
  NodeStatuses: Ready=nodeReady, Unschedulable=unschedulable
  StaticPods
  StaticPodServerStatuses
  StaticPodStatuses (podstatus): Ready=conditions[?(@.type=="Ready")].status

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
  BaseRuntimeSpecConfigs 14-
  CustomizationConfigs! 14-
  ImageCacheConfigs 9-: Status=status, CopyStatus=copyStatus, Roots=roots
  RegistryConfigs 9-11
  RegistryConfigs! 12-
  SeccompProfiles

block runtime
  BlockDevices: Type=type, PartitionName=partitionName, Generation=generation
  BlockSymlinks 10-
  DiscoveredVolumes: Type=type, Size=pretty_size, Discovered=name, Label=label, PartitionLabel=partition_label
  DiscoveryRefreshRequests: Request=request
  DiscoveryRefreshStatuses: Request=request
  Disks: Size=pretty_size, Read Only=readonly, Transport=transport, Rotational=rotational, WWID=wwid, Model=model, Serial=serial
  FSScrubSchedules 14-: Filesystem=filesystem, Interval=interval, Next Scrub=nextScrub
  FSScrubStatuses 14-: Mountpoint=mountpoint, Interval=interval, Latest start time=time, Latest run duration=duration, Latest status=status
  MountRequests 10-10: Volume=volumeID, Parent=ParentID, Requesters=requesters
  MountRequests 11-: Volume=volumeID, Parent=parentID, Requesters=requesters
  MountStatuses 10-: Source=source, Target=target, Filesystem=filesystem, Volume=spec.volumeID
  SwapStatuses 11- (swap, swaps): Device=device, Size=sizeHuman, Used=usedHuman, Priority=priority
  SystemDisks: Disk=diskID
  UserDiskConfigStatuses: Ready=ready
  VolumeConfigs!
  VolumeLifecycles
  VolumeMountRequests 10-: Volume ID=volumeID, Requester=requester
  VolumeMountStatuses 10-: Volume ID=volumeID, Requester=requester, Target=target
  VolumeStatuses -9: Phase=phase, Location=location, Size=prettySize
  VolumeStatuses 10-: Type=type, Phase=phase, Location=location, Size=prettySize
  VolumeTrimSchedules 14-: Filesystem=filesystem, Interval=interval, Next Trim=nextTrim
  ZswapStatuses 11-: Total Size=totalSizeHuman, Stored Pages=storedPages, Written Back=writtenBackPages, Pool Limit Hit=poolLimitHit

hardware hardware
  CPUCores 14- (cpucore, cpucores): Socket=socket, Core=coreID, Model=modelName, Logical CPUs=logicalCPUs
  MemoryModules (memorymodules, ram): Manufacturer=manufacturer, Model=productName, SizeMiB=sizeMiB
  PCIDevices (devices, device): Class=class, Subclass=subclass, Vendor=vendor, Product=product
  PCRStatuses 10-
  Processors (cpus, cpu): Manufacturer=manufacturer, Model=productName, Cores=coreCount, Threads=threadCount
  SystemInformations (systeminformation): Manufacturer=manufacturer, ProductName=productName, Version=version, SerialNumber=serialnumber, UUID=uuid, WakeUpType=wakeUpType, SKUNumber=skuNumber

secrets secrets
  ApiCertificates!
  CertSANs!
  EncryptionSalts! 11-
  EtcdRootSecrets!
  EtcdSecrets!
  KubeletSecrets!
  KubernetesDynamicCerts!
  KubernetesRootSecrets!
  KubernetesSecrets!
  MaintenanceRootSecrets!
  MaintenanceServiceCertificates! -12
  OSRootSecrets!
  TrustdCertificates!

${tunnelName.toLowerCase()} config
  ${tunnelName}Configs!: API Endpoint=apiEndpoint, Tunnel=tunnel
  ${tunnelName}Statuses: Host=host, Connected=connected
  ${tunnelName}Tunnels! -8: API Endpoint=apiEndpoint, Interface name=ifaceName, MTU=mtu, Node address=nodeAddress
  ${tunnelName}Tunnels! 9-: API Endpoint=apiEndpoint, Link name=linkName, MTU=mtu, Node address=nodeAddress

net network
  AddressSpecs
  AddressStatuses (address, addresses): Address=address, Link=linkName
  BGPInstanceConfigs 14-: Local ASN=localASN, Router ID=routerID, VRF=vrf, Neighbors=neighbors
  BGPPeerStatuses 14-: Instance=instance, Peer=peer, Peer AS=peerASN, State=state, Since=since, Received=received
  DeviceConfigSpecs!
  DNSResolveCaches: Status=status
  DNSUpstreams -8: Healthy=healthy, Address=addr, Idx=idx
  DNSUpstreams 9-: Healthy=healthy, Address=addr
  EthernetSpecs 10-
  EthernetStatuses 10- (ethtool): Link=linkState, Speed=speedMbit
  HardwareAddresses
  HostDNSConfigs: Enabled=enabled
  HostnameSpecs
  HostnameStatuses (hostname): Hostname=hostname, Domainname=domainname
  LinkAliasSpecs 12-: Alias=alias
  LinkRefreshes
  LinkSpecs!
  LinkStatuses -11 (link, links): Type=type, Kind=kind, Hw Addr=hardwareAddr, Oper State=operationalState, Link State=linkState
  LinkStatuses 12- (link, links): Alias=alias, Type=type, Kind=kind, Hw Addr=hardwareAddr, Oper State=operationalState, Link State=linkState
  NetworkStatuses (netstatus, netstatuses): Address=addressReady, Connectivity=connectivityReady, Hostname=hostnameReady, Etc=etcFilesReady
  NfTablesChains (chain, chains): Type=type, Hook=hook, Priority=priority, Policy=policy
  NodeAddresses -8: Addresses=addresses
  NodeAddresses 9-: Addresses=addresses, SortAlgorithm=sortAlgorithm
  NodeAddressFilters: Include Subnets=includeSubnets, Exclude Subnets=excludeSubnets
  NodeAddressSortAlgorithms 9-: Algorithm=algorithm
  OperatorSpecs!
  PlatformConfigs 12-
  ProbeSpecs
  ProbeStatuses (probe, probes): Success=success
  ResolverSpecs -8
  ResolverSpecs 9-: Layer=layer, Resolvers=dnsServers, Search Domains=searchDomains
  ResolverStatuses -8 (resolvers): Resolvers=dnsServers
  ResolverStatuses 9- (resolvers): Resolvers=dnsServers, Search Domains=searchDomains
  RouteSpecs
  RouteStatuses (route, routes): Destination=dst, Gateway=gateway, Link=outLinkName, Metric=priority
  RoutingRuleSpecs 13-
  RoutingRuleStatuses 13- (routingrule, routingrules): Src=src, Dst=dst, Table=table, Priority=priority
  StaticHosts 14-: Addresses=addresses
  TimeServerSpecs -13
  TimeServerSpecs 14-: Timeservers=timeServers, UseNTS=useNTS
  TimeServerStatuses -13 (timeserver, timeservers): Timeservers=timeServers
  TimeServerStatuses 14- (timeserver, timeservers): Timeservers=timeServers, UseNTS=useNTS

- runtime
  BootedEntries 11-: Booted Entry=bootedEntry
  OOMActions! 12- (oomaction, oomactions): Time=time, Score=score
  PlatformMetadatas: Platform=platform, Type=instanceType, Region=region, Zone=zone
  SBOMItems 11- (sbom, sboms): Version=version, License=license, Extension=extension
  SecurityStates -9: SecureBoot=secureBoot, UKISigningKeyFingerprint=ukiSigningKeyFingerprint, PCRSigningKeyFingerprint=pcrSigningKeyFingerprint
  SecurityStates 10-11: SecureBoot=secureBoot, UKISigningKeyFingerprint=ukiSigningKeyFingerprint, PCRSigningKeyFingerprint=pcrSigningKeyFingerprint, SELinuxState=selinuxState
  SecurityStates 12-: SecureBoot=secureBoot, UKISigningKeyFingerprint=ukiSigningKeyFingerprint, PCRSigningKeyFingerprint=pcrSigningKeyFingerprint, SELinuxState=selinuxState, ModuleSignatureEnforced=moduleSignatureEnforced

runtime hardware
  PCIDriverRebindConfigs 10-: Name=name, PCI ID=pciID, TargetDriver=targetDriver
  PCIDriverRebindStatuses 10- (pcidriverrebinds): Name=name, PCI ID=pciID, TargetDriver=targetDriver

runtime runtime
  APIServiceConfigs 13-
  BootIDs 14-: Boot ID=bootID
  DevicesStatuses: Ready=ready
  Diagnostics: Message=message
  Environments 13- (env): Variables=variables
  EventSinkConfigs
  ExtensionServiceConfigs -11
  ExtensionServiceConfigs! 12-
  ExtensionServiceConfigStatuses
  ExtensionStatuses (extensions): Name=metadata.name, Version=metadata.version
  ImageFactorySchematics 14-: Schematic ID=schematicId, Flavor=flavor, API URL=apiUrl
  KernelCmdlines 11- (cmdline): Cmdline=cmdline
  KernelModuleSpecs -10 (modules)
  KernelModuleSpecs 11-
  KernelModuleStatuses 14- (module, modules): Type=type, State=state
  KernelParamDefaultSpecs
  KernelParamSpecs
  KernelParamStatuses (sysctls, kernelparameters, kernelparams): Current=current, Default=default, Unsupported=unsupported
  KmsgLogConfigs
  LoadedKernelModules 11-13 (module, modules): State=state
  LoadedKernelModules 14-: State=state
  MachineResetSignals
  MachineStatuses: Stage=stage, Ready=status.ready
  MaintenanceServiceConfigs
  MaintenanceServiceRequests
  MetaKeys (meta): Value=value
  MetaLoads: Done=done
  MountStatuses -9 (mounts): Source=source, Target=target, Filesystem Type=filesystemType
  MountStatuses~ 10- (mounts): Source=source, Target=target, Filesystem Type=filesystemType
  RebootRequests 14-
  ServicePIDs 13-: PID=pid
  UnattendedInstallStatuses 14-: Phase=phase
  UniqueMachineTokens: Token=token
  Versions 10-12: Version=version
  Versions 13-: Name=name, Version=version
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
  EtcFileSpecs -11
  EtcFileSpecs! 12-
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

security security
  ImageVerificationRules 13-: Pattern=imagePattern, Skip=skip, Deny=deny
  TUFTrustedRoots 13-: Last Refresh=lastRefreshTime

containers containers
  ContainerSpecs 14- (containerspec, containerspecs): Image=image.ref

storage storage
  LVMLogicalVolumeSpecs 14-: VG=vgName, Name=name, Type=type
  LVMLogicalVolumeStatuses 14- (lvs): Path=path, VG=vgName, Layout=layout, Size=prettySize, Active=active
  LVMPhysicalVolumeSpecs 14-: Device=device, VG=vgName
  LVMPhysicalVolumeStatuses 14- (pvs): Device=device, VG=vgName, Size=prettySize, Free=prettyFree, Allocatable=allocatable
  LVMRefreshRequests 14-: Request=request
  LVMValidationErrors 14-: VG=vgName, Message=message
  LVMVolumeGroupSpecs 14-: Name=name
  LVMVolumeGroupStatuses 14- (vgs): Name=name, Permissions=permissions, Size=prettySize, Free=prettyFree, PVs=pvCount, LVs=lvCount
  MDArraySpecs 14-: Level=level
  MDArrayStatuses 14-: Level=level, Status=status, Sync=syncAction, Device=device
  MDRefreshRequests 14-: Request=request
`;
