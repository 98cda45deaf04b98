// Code written by tools/protogen.ts. DO NOT EDIT.

/* eslint-disable */
import { Data } from "./common.ts";
import { Empty } from "./google/protobuf/empty.ts";

export const lazyServices = {
  ClusterServiceDefinition: {
    fullName: "cluster.ClusterService",
    methods: {
      healthCheck: {
        name: "HealthCheck",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./cluster.ts")).HealthCheckRequest, (await import("./cluster.ts")).HealthCheckProgress],
      },
    },
  },
  StateDefinition: {
    fullName: "cosi.resource.State",
    methods: {
      get: {
        name: "Get",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./cosi_resource.ts")).GetRequest, (await import("./cosi_resource.ts")).GetResponse],
      },
      list: {
        name: "List",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./cosi_resource.ts")).ListRequest, (await import("./cosi_resource.ts")).ListResponse],
      },
      create: {
        name: "Create",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./cosi_resource.ts")).CreateRequest, (await import("./cosi_resource.ts")).CreateResponse],
      },
      update: {
        name: "Update",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./cosi_resource.ts")).UpdateRequest, (await import("./cosi_resource.ts")).UpdateResponse],
      },
      destroy: {
        name: "Destroy",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./cosi_resource.ts")).DestroyRequest, (await import("./cosi_resource.ts")).DestroyResponse],
      },
      watch: {
        name: "Watch",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./cosi_resource.ts")).WatchRequest, (await import("./cosi_resource.ts")).WatchResponse],
      },
      teardown: {
        name: "Teardown",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./cosi_resource.ts")).TeardownRequest, (await import("./cosi_resource.ts")).TeardownResponse],
      },
      teardownAndDestroy: {
        name: "TeardownAndDestroy",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./cosi_resource.ts")).TeardownAndDestroyRequest, (await import("./cosi_resource.ts")).TeardownAndDestroyResponse],
      },
    },
  },
  InspectServiceDefinition: {
    fullName: "inspect.InspectService",
    methods: {
      controllerRuntimeDependencies: {
        name: "ControllerRuntimeDependencies",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./inspect.ts")).ControllerRuntimeDependenciesResponse],
      },
    },
  },
  MachineServiceDefinition: {
    fullName: "machine.MachineService",
    methods: {
      applyConfiguration: {
        name: "ApplyConfiguration",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_configuration.ts")).ApplyConfigurationRequest, (await import("./machine_configuration.ts")).ApplyConfigurationResponse],
      },
      bootstrap: {
        name: "Bootstrap",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_power.ts")).BootstrapRequest, (await import("./machine_power.ts")).BootstrapResponse],
      },
      containers: {
        name: "Containers",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_container.ts")).ContainersRequest, (await import("./machine_container.ts")).ContainersResponse],
      },
      copy: {
        name: "Copy",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_files.ts")).CopyRequest, Data],
      },
      cPUInfo: {
        name: "CPUInfo",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).CPUInfoResponse],
      },
      diskStats: {
        name: "DiskStats",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).DiskStatsResponse],
      },
      dmesg: {
        name: "Dmesg",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_files.ts")).DmesgRequest, Data],
      },
      events: {
        name: "Events",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_event_stream.ts")).EventsRequest, (await import("./machine_event_stream.ts")).Event],
      },
      etcdMemberList: {
        name: "EtcdMemberList",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_etcd.ts")).EtcdMemberListRequest, (await import("./machine_etcd.ts")).EtcdMemberListResponse],
      },
      etcdRemoveMemberByID: {
        name: "EtcdRemoveMemberByID",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_etcd.ts")).EtcdRemoveMemberByIDRequest, (await import("./machine_etcd.ts")).EtcdRemoveMemberByIDResponse],
      },
      etcdLeaveCluster: {
        name: "EtcdLeaveCluster",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_etcd.ts")).EtcdLeaveClusterRequest, (await import("./machine_etcd.ts")).EtcdLeaveClusterResponse],
      },
      etcdForfeitLeadership: {
        name: "EtcdForfeitLeadership",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_etcd.ts")).EtcdForfeitLeadershipRequest, (await import("./machine_etcd.ts")).EtcdForfeitLeadershipResponse],
      },
      etcdRecover: {
        name: "EtcdRecover",
        requestStream: true,
        responseStream: false,
        types: async () => [Data, (await import("./machine_etcd.ts")).EtcdRecoverResponse],
      },
      etcdSnapshot: {
        name: "EtcdSnapshot",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_etcd.ts")).EtcdSnapshotRequest, Data],
      },
      etcdAlarmList: {
        name: "EtcdAlarmList",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_etcd.ts")).EtcdAlarmListResponse],
      },
      etcdAlarmDisarm: {
        name: "EtcdAlarmDisarm",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_etcd.ts")).EtcdAlarmDisarmResponse],
      },
      etcdDefragment: {
        name: "EtcdDefragment",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_etcd.ts")).EtcdDefragmentResponse],
      },
      etcdStatus: {
        name: "EtcdStatus",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_etcd.ts")).EtcdStatusResponse],
      },
      generateConfiguration: {
        name: "GenerateConfiguration",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_configuration.ts")).GenerateConfigurationRequest, (await import("./machine_configuration.ts")).GenerateConfigurationResponse],
      },
      hostname: {
        name: "Hostname",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).HostnameResponse],
      },
      kubeconfig: {
        name: "Kubeconfig",
        requestStream: false,
        responseStream: true,
        types: async () => [Empty, Data],
      },
      list: {
        name: "List",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_files.ts")).ListRequest, (await import("./machine_files.ts")).FileInfo],
      },
      diskUsage: {
        name: "DiskUsage",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_files.ts")).DiskUsageRequest, (await import("./machine_files.ts")).DiskUsageInfo],
      },
      loadAvg: {
        name: "LoadAvg",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).LoadAvgResponse],
      },
      logs: {
        name: "Logs",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_files.ts")).LogsRequest, Data],
      },
      logsContainers: {
        name: "LogsContainers",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_files.ts")).LogsContainersResponse],
      },
      memory: {
        name: "Memory",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).MemoryResponse],
      },
      mounts: {
        name: "Mounts",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).MountsResponse],
      },
      networkDeviceStats: {
        name: "NetworkDeviceStats",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).NetworkDeviceStatsResponse],
      },
      processes: {
        name: "Processes",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).ProcessesResponse],
      },
      read: {
        name: "Read",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_files.ts")).ReadRequest, Data],
      },
      reboot: {
        name: "Reboot",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_power.ts")).RebootRequest, (await import("./machine_power.ts")).RebootResponse],
      },
      restart: {
        name: "Restart",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_container.ts")).RestartRequest, (await import("./machine_container.ts")).RestartResponse],
      },
      rollback: {
        name: "Rollback",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_power.ts")).RollbackRequest, (await import("./machine_power.ts")).RollbackResponse],
      },
      reset: {
        name: "Reset",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_power.ts")).ResetRequest, (await import("./machine_power.ts")).ResetResponse],
      },
      serviceList: {
        name: "ServiceList",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_service.ts")).ServiceListResponse],
      },
      serviceRestart: {
        name: "ServiceRestart",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_service.ts")).ServiceRestartRequest, (await import("./machine_service.ts")).ServiceRestartResponse],
      },
      serviceStart: {
        name: "ServiceStart",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_service.ts")).ServiceStartRequest, (await import("./machine_service.ts")).ServiceStartResponse],
      },
      serviceStop: {
        name: "ServiceStop",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_service.ts")).ServiceStopRequest, (await import("./machine_service.ts")).ServiceStopResponse],
      },
      shutdown: {
        name: "Shutdown",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_power.ts")).ShutdownRequest, (await import("./machine_power.ts")).ShutdownResponse],
      },
      stats: {
        name: "Stats",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_container.ts")).StatsRequest, (await import("./machine_container.ts")).StatsResponse],
      },
      systemStat: {
        name: "SystemStat",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).SystemStatResponse],
      },
      upgrade: {
        name: "Upgrade",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_power.ts")).UpgradeRequest, (await import("./machine_power.ts")).UpgradeResponse],
      },
      version: {
        name: "Version",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_version.ts")).VersionResponse],
      },
      generateClientConfiguration: {
        name: "GenerateClientConfiguration",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_configuration.ts")).GenerateClientConfigurationRequest, (await import("./machine_configuration.ts")).GenerateClientConfigurationResponse],
      },
      packetCapture: {
        name: "PacketCapture",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_files.ts")).PacketCaptureRequest, Data],
      },
      netstat: {
        name: "Netstat",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_system.ts")).NetstatRequest, (await import("./machine_system.ts")).NetstatResponse],
      },
      metaWrite: {
        name: "MetaWrite",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_power.ts")).MetaWriteRequest, (await import("./machine_power.ts")).MetaWriteResponse],
      },
      metaDelete: {
        name: "MetaDelete",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_power.ts")).MetaDeleteRequest, (await import("./machine_power.ts")).MetaDeleteResponse],
      },
      imageList: {
        name: "ImageList",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_container.ts")).ImageListRequest, (await import("./machine_container.ts")).ImageListResponse],
      },
      imagePull: {
        name: "ImagePull",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_container.ts")).ImagePullRequest, (await import("./machine_container.ts")).ImagePullResponse],
      },
      cPUFreqStats: {
        name: "CPUFreqStats",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_system.ts")).CPUFreqStatsResponse],
      },
      etcdDowngradeValidate: {
        name: "EtcdDowngradeValidate",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_etcd.ts")).EtcdDowngradeValidateRequest, (await import("./machine_etcd.ts")).EtcdDowngradeValidateResponse],
      },
      etcdDowngradeEnable: {
        name: "EtcdDowngradeEnable",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_etcd.ts")).EtcdDowngradeEnableRequest, (await import("./machine_etcd.ts")).EtcdDowngradeEnableResponse],
      },
      etcdDowngradeCancel: {
        name: "EtcdDowngradeCancel",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./machine_etcd.ts")).EtcdDowngradeCancelResponse],
      },
    },
  },
  DebugServiceDefinition: {
    fullName: "machine.DebugService",
    methods: {
      containerRun: {
        name: "ContainerRun",
        requestStream: true,
        responseStream: true,
        types: async () => [(await import("./machine_debug.ts")).DebugContainerRunRequest, (await import("./machine_debug.ts")).DebugContainerRunResponse],
      },
    },
  },
  ImageServiceDefinition: {
    fullName: "machine.ImageService",
    methods: {
      list: {
        name: "List",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_image.ts")).ImageServiceListRequest, (await import("./machine_image.ts")).ImageServiceListResponse],
      },
      pull: {
        name: "Pull",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_image.ts")).ImageServicePullRequest, (await import("./machine_image.ts")).ImageServicePullResponse],
      },
      import: {
        name: "Import",
        requestStream: true,
        responseStream: false,
        types: async () => [(await import("./machine_image.ts")).ImageServiceImportRequest, (await import("./machine_image.ts")).ImageServiceImportResponse],
      },
      remove: {
        name: "Remove",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_image.ts")).ImageServiceRemoveRequest, Empty],
      },
      verify: {
        name: "Verify",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_image.ts")).ImageServiceVerifyRequest, (await import("./machine_image.ts")).ImageServiceVerifyResponse],
      },
    },
  },
  LifecycleServiceDefinition: {
    fullName: "machine.LifecycleService",
    methods: {
      install: {
        name: "Install",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_lifecycle.ts")).LifecycleServiceInstallRequest, (await import("./machine_lifecycle.ts")).LifecycleServiceInstallResponse],
      },
      upgrade: {
        name: "Upgrade",
        requestStream: false,
        responseStream: true,
        types: async () => [(await import("./machine_lifecycle.ts")).LifecycleServiceUpgradeRequest, (await import("./machine_lifecycle.ts")).LifecycleServiceUpgradeResponse],
      },
    },
  },
  LVMServiceDefinition: {
    fullName: "machine.LVMService",
    methods: {
      logicalVolumeRemove: {
        name: "LogicalVolumeRemove",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_lvm.ts")).LVMServiceLogicalVolumeRemoveRequest, Empty],
      },
      volumeGroupRemove: {
        name: "VolumeGroupRemove",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_lvm.ts")).LVMServiceVolumeGroupRemoveRequest, Empty],
      },
      physicalVolumeRemove: {
        name: "PhysicalVolumeRemove",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_lvm.ts")).LVMServicePhysicalVolumeRemoveRequest, Empty],
      },
    },
  },
  MDServiceDefinition: {
    fullName: "machine.MDService",
    methods: {
      destroy: {
        name: "Destroy",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./machine_md.ts")).MDDestroyRequest, Empty],
      },
    },
  },
  SecurityServiceDefinition: {
    fullName: "securityapi.SecurityService",
    methods: {
      certificate: {
        name: "Certificate",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./securityapi.ts")).CertificateRequest, (await import("./securityapi.ts")).CertificateResponse],
      },
    },
  },
  StorageServiceDefinition: {
    fullName: "storage.StorageService",
    methods: {
      disks: {
        name: "Disks",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./storage.ts")).DisksResponse],
      },
      blockDeviceWipe: {
        name: "BlockDeviceWipe",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./storage.ts")).BlockDeviceWipeRequest, (await import("./storage.ts")).BlockDeviceWipeResponse],
      },
    },
  },
  TimeServiceDefinition: {
    fullName: "time.TimeService",
    methods: {
      time: {
        name: "Time",
        requestStream: false,
        responseStream: false,
        types: async () => [Empty, (await import("./time.ts")).TimeResponse],
      },
      timeCheck: {
        name: "TimeCheck",
        requestStream: false,
        responseStream: false,
        types: async () => [(await import("./time.ts")).TimeRequest, (await import("./time.ts")).TimeResponse],
      },
    },
  },
} as const;
