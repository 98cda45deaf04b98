/** Documents of 1.13 and 1.14 and what is wrong with them. Source: the verdicts of nodes of 1.14. */

/** Kind, the rest of the document, and its problems as `LEVEL PATH: MESSAGE`. */
export type NewerCase = readonly [
  kind: string,
  text: string,
  problems: readonly string[],
];

/** At least one document of each kind with rules that breaks them. */
export const newerCases: readonly NewerCase[] = [
  ["LinkAliasConfig", "name: net%x\nselector: {match: 'true'}", [
    'error name: Name "net%x" is not a pattern',
  ]],
  ["LinkAliasConfig", "name: net%d\nselector: {match: 'true'}", []],
  ["BlackholeRouteConfig", "name: 10.0.0.0", [
    'error name: Name "10.0.0.0" is not a network',
  ]],
  ["RoutingRuleConfig", "name: 32500\ntable: main", [
    "error name: Priority 32500 is reserved for the system",
  ]],
  ["RoutingRuleConfig", "name: high\ntable: main", [
    'error name: Name "high" is not a priority',
  ]],
  ["RoutingRuleConfig", "name: 100\nfwMask: 1", [
    "error table: The rule has no routing table",
    'error fwMask: "fwMask" is given without "fwMark"',
  ]],
  ["RoutingRuleConfig", "name: 100\naction: blackhole", []],
  ["VRFConfig", "name: red\ntable: main", [
    'error table: Routing table "main" is reserved for the system',
  ]],
  ["VRFConfig", "name: red\ntable: 10", []],
  ["VethConfig", "name: a/b\npeer: {name: a/b}", [
    'error name: "a/b" is not a valid link name',
    'error peer.name: "a/b" is not a valid link name',
    'error peer.name: Both ends are named "a/b"',
  ]],
  [
    "VethConfig",
    "name: a\npeer: {name: b, addresses: [{address: 0.0.0.0/0}]}",
    [
      'error peer.addresses[0].address: Address "0.0.0.0/0" is not a host address',
    ],
  ],
  [
    "TCPProbeConfig",
    "name: p\nendpoint: a:1\ninterval: -1s\nfailureThreshold: -1",
    [
      'error interval: Time "-1s" is negative',
      'error failureThreshold: Number "-1" is negative',
    ],
  ],
  ["HTTPProbeConfig", "name: p\nurl: ftp://a", [
    'error url: URL "ftp://a" is not an HTTP URL',
  ]],
  ["BGPInstanceConfig", "name: b\nlocalASN: 1", [
    "warning neighbors: The instance has no neighbors",
  ]],
  [
    "BGPInstanceConfig",
    "name: b\nrouterID: '::1'\nneighbors: [{}, {link: a}, {link: a}]",
    [
      'error localASN: "localASN" is missing',
      'error routerID: Router id "::1" is not IPv4',
      'error neighbors[0]: Neither "address" nor "link" is given',
      'error neighbors[2]: Neighbor "a" appears twice',
    ],
  ],
  [
    "BGPInstanceConfig",
    "name: b\nlocalASN: 1\nvrf: r\nneighbors: [{link: a, bfd: {}}]",
    ['error neighbors[0].bfd: "bfd" is not supported in a VRF'],
  ],
  [
    "BGPInstanceConfig",
    "name: b\nlocalASN: 1\nneighbors: [{link: a}]\nimportRoutes: [{bgpInstance: b, prefixes: [10.0.0.1/8]}, {bgpInstance: c, prefixes: [10.1.0.0/16]}]",
    [
      'error importRoutes[0].bgpInstance: Instance "b" cannot import its own routes',
      'error importRoutes[0].prefixes[0]: Network "10.0.0.1/8" has host bits set',
      'error importRoutes[1].prefixes[0]: Network "10.1.0.0/16" overlaps with "10.0.0.1/8"',
    ],
  ],
  ["KubeSpanConfig", "mtu: 1000\nfilters: {endpoints: [a]}", [
    "error mtu: KubeSpan MTU 1000 is too small",
    'error filters.endpoints[0]: Endpoint filter "a" is not valid',
  ]],
  ["ResolverConfig", "nameservers: [{address: 1.1.1.1, protocol: DoT}]", [
    "warning nameservers: All DNS servers are encrypted, which requires a correct clock",
    'error nameservers[0].tlsServerName: "tlsServerName" is missing, which protocol "dot" needs',
  ]],
  [
    "ResolverConfig",
    "nameservers: [{address: 1.1.1.1, tlsServerName: a}]\nhostDNS: {enabled: false, resolveMemberNames: true}",
    [
      'error nameservers[0].tlsServerName: "tlsServerName" is given for plain DNS',
      'error hostDNS.resolveMemberNames: "resolveMemberNames" is true, but host DNS is not enabled',
    ],
  ],
  ["TimeSyncConfig", "ntp: {useNTS: true, servers: [10.0.0.1]}", [
    'error ntp.servers[0]: Server "10.0.0.1" is an IP address, but NTS requires a hostname',
  ]],
  [
    "VolumeConfig",
    "name: IMAGECACHE\nmount: {secure: false}\nfilesystem: {xfs: {}}",
    [
      'error filesystem: Volume "IMAGECACHE" has no file system settings',
      'error mount: Volume "IMAGECACHE" has fixed mount options',
    ],
  ],
  ["VolumeConfig", "name: ETCD\nmount: {secure: true}", [
    'error mount: Volume "ETCD" is a directory on EPHEMERAL',
  ]],
  [
    "VolumeConfig",
    "name: EPHEMERAL\nprovisioning: {minSize: -1GiB, maxSize: -10GiB}\nscrub: {interval: 1s}",
    [
      'error provisioning.minSize: Minimum size "-1GiB" is negative',
      'error scrub.interval: Interval "1s" is shorter than 10s',
    ],
  ],
  [
    "VolumeConfig",
    "name: EPHEMERAL\nprovisioning: {minSize: 10GiB, maxSize: -10GiB}",
    [],
  ],
  [
    "UserVolumeConfig",
    "name: a\nvolumeType: directory\nmount: {secure: true}\ntrim: {interval: -1s}",
    [
      'error mount: "mount" cannot be used with volume type "directory"',
      'error trim.interval: Time "-1s" is negative',
    ],
  ],
  [
    "UserVolumeConfig",
    "name: a\nprovisioning: {diskSelector: {match: 'true'}, minSize: 1GiB}\nfilesystem: {type: ext4, xfs: {}}",
    ['error filesystem.xfs: Settings of xfs are given for file system "ext4"'],
  ],
  ["ExternalVolumeConfig", "name: a\nfilesystemType: virtiofs", [
    'error mount.virtiofs: "virtiofs" is missing',
  ]],
  ["ExternalVolumeConfig", "name: a_b\nmount: {virtiofs: {tag: a}}", [
    'error name: Name "a_b" contains "_"',
    'error filesystemType: File system "" is not supported for external volumes',
  ]],
  ["FilesystemTrimConfig", "interval: -1s", [
    'error interval: Time "-1s" is negative',
  ]],
  ["FilesystemScrubConfig", "interval: 9s", [
    'error interval: Interval "9s" is shorter than 10s',
  ]],
  [
    "RAIDArrayConfig",
    "name: a.b\nlevel: raid1\nprovisioning: {volumeSelector: {match: 'true'}}",
    ['error name: Name "a.b" is not valid'],
  ],
  [
    "LVMVolumeGroupConfig",
    "name: a\nprovisioning: {volumeSelector: {match: disk.size}}",
    [
      "error provisioning.volumeSelector.match: Expression is uint, must be bool",
    ],
  ],
  [
    "LVMLogicalVolumeConfig",
    "name: a\ntype: linear\nmirrors: 1\nprovisioning: {volumeGroup: v, maxSize: 1GiB, minSize: 2GiB}",
    [
      'error mirrors: "mirrors" cannot be used with type "linear"',
      'error provisioning.minSize: Minimum size "2GiB" is greater than the maximum size "1GiB"',
    ],
  ],
  [
    "LVMLogicalVolumeConfig",
    "name: a\ntype: raid10\nstripes: 1\nprovisioning: {volumeGroup: v}",
    [
      'error stripes: "stripes" is 1',
      'error provisioning.maxSize: "maxSize" is missing',
    ],
  ],
  [
    "ImageVerificationConfig",
    "rules: [{image: nginx}, {image: a/b:1, skip: true, deny: true}, {image: a/*, keyless: {issuer: i}}, {image: b/*, keyless: {issuer: i, subject: s}, publicKey: {certificate: c}}]",
    [
      "error rules[0]: The rule has no action",
      'warning rules[0].image: "nginx" has no registry',
      'warning rules[1].image: "a/b:1" has a tag or digest, which image patterns cannot have',
      'error rules[1].deny: Both "skip" and "deny" are true',
      'error rules[2].keyless.subject: Neither "subject" nor "subjectRegex" is given',
      'error rules[3].publicKey: Both "keyless" and "publicKey" are given',
    ],
  ],
  ["CRIBaseRuntimeSpecConfig", "overrides: {process: 5}", [
    "error overrides.process: process of the OCI runtime spec is not a mapping",
  ]],
  ["CRICustomizationConfig", "name: customization\ncontent: a", [
    'error name: Name "customization" is reserved: older versions write a file of this name',
  ]],
  ["CRICustomizationConfig", "name: a b\ncontent: a", [
    'error name: Name "a b" is not valid',
  ]],
  [
    "ContainerConfig",
    "name: Web\nimage: nginx\nenvironment: [A]\nnetwork: {mode: bridge}\nrunAs: {uid: -1}",
    [
      'error name: Name "Web" is not valid',
      'warning image: Image "nginx" may change at the next start',
      'error environment[0]: "A" has no value',
      'error network.mode: "bridge" is not supported',
      'error runAs.uid: "uid" is negative',
    ],
  ],
  [
    "ContainerConfig",
    "name: a\nimage: a B\nmounts: [{}, {tmpfs: {destination: tmp, options: [ro, rw, x]}}, {hostPath: {source: a, destination: /b}}, {tmpfs: {destination: /b}}]",
    [
      'error image: "a B" is not an image name',
      "error mounts[0]: A mount has no source",
      'error mounts[1].tmpfs.destination: Path "tmp" is not absolute',
      'error mounts[1].tmpfs.options: Both "ro" and "rw" are given',
      'error mounts[1].tmpfs.options[2]: "x" is not supported',
      'error mounts[2].hostPath.source: Path "a" is not absolute',
      'error mounts[3].tmpfs.destination: Path "/b" appears twice',
    ],
  ],
  [
    "ContainerConfig",
    "name: a\nimage: docker.io/library/a@sha256:0000000000000000000000000000000000000000000000000000000000000000\nsecurity: {profile: free, capabilities: {add: [ALL, CAP_A, B], drop: [ALL, B]}}\nresources: {limits: {cpu: 1, memory: much}}\ndependsOn: {paths: [a], networks: [b], containers: [a]}",
    [
      'error security.profile: "free" is not supported',
      "error security.capabilities.add[0]: ALL cannot be added",
      'error security.capabilities.add[1]: "CAP_A" is not the name of a capability',
      'error security.capabilities.add[2]: Capability "B" is both added and dropped',
      'error resources.limits.cpu: "1" is not a number of millicores',
      'error resources.limits.memory: "much" is not a size',
      'error dependsOn.paths[0]: Path "a" is not absolute',
      'error dependsOn.networks[0]: "b" is not supported',
      'error dependsOn.containers[0]: Container "a" depends on itself',
    ],
  ],
  ["DiscoveryServiceConfig", "name: a\nendpoint: ftp://a", [
    'error endpoint: Discovery service "ftp://a" is not an absolute URL without a path',
  ]],
  ["DiscoveryIdentityConfig", "clusterID: a\nclusterSecret: YQ==", [
    "error clusterSecret: The cluster secret is not 32 bytes in base64",
  ]],
  ["KubeClusterConfig", "clusterName: a\nendpoint: https://", [
    'error endpoint: Endpoint "https://" has no host',
  ]],
  [
    "KubeNetworkConfig",
    "podSubnets: [10.0.0.1/8, 10.1.0.0/16]\nserviceSubnets: [10.0.0.0/8]\nnodeCIDRMaskSizeIPv4: 33",
    [
      "error podSubnets: There is more than one subnet per IP family",
      'error podSubnets[0]: Network "10.0.0.1/8" has host bits set',
      "error serviceSubnets: There are 2 pod subnets, but 1 service subnets",
      'error serviceSubnets[0]: Network "10.0.0.0/8" is too large',
      "error nodeCIDRMaskSizeIPv4: Prefix length 33 does not exist",
    ],
  ],
  [
    "KubeNetworkConfig",
    "podSubnets: [10.0.0.0/7]\nserviceSubnets: [10.96.0.0/30]",
    [
      'error podSubnets[0]: Network "10.0.0.0/7" cannot be split into a /24 for each node',
      'error serviceSubnets[0]: Network "10.96.0.0/30" is too small',
    ],
  ],
  ["KubeNodeConfig", "nodeIP: {validSubnets: [a]}\ntaints: {a: b}", [
    'error nodeIP.validSubnets[0]: Node IP subnet "a" is not valid',
    'error taints.a: Taint "a" has effect "b", which does not exist',
  ]],
  ["KubeletConfig", "config: {staticPodPath: /a}", [
    'error image: "image" is missing',
    'error config.staticPodPath: Kubelet setting "staticPodPath" cannot be changed',
  ]],
  ["KubePrismConfig", "port: 70000", ["error port: Port 70000 does not exist"]],
  ["KubeAPIServerCAConfig", "issuingCA: {cert: a}\nacceptedCAs: [b]", [
    "error issuingCA.cert: It contains no valid certificate",
    "error issuingCA.key: It contains no valid private key",
    "error acceptedCAs[0]: It contains no valid certificate",
  ]],
  ["KubeAggregatorCAConfig", "{}", ['error issuingCA: "issuingCA" is missing']],
  [
    "KubeServiceAccountConfig",
    "issuer: {privateKey: a, issuerURL: https://a}",
    ["error issuer.privateKey: It contains no valid private key"],
  ],
  ["KubeEtcdEncryptionConfig", "config: {}", [
    'error config: "config" is missing',
  ]],
  [
    "KubeAPIServerConfig",
    "extraArgs: {oidc-issuer: a}\nresources: {limits: {gpu: 1}}",
    [
      'error image: "image" is missing',
      'error extraArgs.oidc-issuer: Argument "oidc-issuer" is not allowed here',
      'error resources.limits.gpu: Resource "gpu" is not supported',
    ],
  ],
  ["KubeControllerManagerConfig", "enabled: false", []],
  ["KubeSchedulerConfig", "enabled: true", ['error image: "image" is missing']],
  ["KubeProxyConfig", "image: a:v1.34.1\nmode: ipvs\nextraArgs: {a: [b, c]}", [
    'warning mode: Proxy mode "ipvs" is not recommended',
    "warning extraArgs: Most kube-proxy arguments have no effect",
  ]],
  ["KubeProxyConfig", "image: a:v1.34.1\nmode: ebpf", [
    'error mode: Proxy mode "ebpf" does not exist',
  ]],
  ["KubeFlannelCNIConfig", "resources: {requests: {disk: 1}}", [
    'error backendType: "backendType" is missing',
    'error resources.requests.disk: Resource "disk" is not supported',
  ]],
  ["KubeAuthorizerConfig", "name: a\ntype: Webhook", [
    'error webhook: "webhook" is missing',
  ]],
  ["KubeAuthorizerConfig", "name: a\ntype: ABAC\nwebhook: {a: b}", [
    'error type: Authorizer type "ABAC" does not exist',
    'warning webhook: "webhook" is given for type "ABAC", which has no webhook',
  ]],
  ["KubeTalosAPIAccessConfig", "allowedRoles: [os:root]", [
    'error allowedRoles[0]: Role "os:root" does not exist',
  ]],
  ["KubeInlineManifestConfig", "name: A_b\nmanifest: a", [
    'error name: Name "A_b" is not valid',
  ]],
  ["KubeExternalManifestConfig", "name: a\nurl: ftp://a", [
    'error url: URL "ftp://a" does not start with http:// or https://',
  ]],
  ["KubeStaticPodConfig", "name: a\npod: {}", ['error pod: "pod" is missing']],
  ["EnvironmentConfig", "variables: {1A: b}", [
    'error variables.1A: "1A" is not the name of an environment variable',
  ]],
  ["SysctlConfig", "params: {'': b}", [
    'error params."": A parameter name is empty',
  ]],
  ["EtcFileConfig", "name: hosts\nmode: 0o644\ncontents: a", [
    'error name: File "hosts" is managed by the system',
  ]],
  ["EtcFileConfig", "name: a/../../b\nmode: 0o644\ncontents: a", [
    'error name: Path "a/../../b" is not below /etc',
  ]],
  ["EtcFileConfig", "name: cri/x\nmode: 0o644\ncontents: a", [
    'error name: File "cri/x" is managed by the system',
  ]],
  ["UnattendedInstallConfig", "provisioning: {}", [
    "warning installer.image: No installer image is given",
    'error provisioning.diskSelector: "diskSelector" is missing',
  ]],
];
