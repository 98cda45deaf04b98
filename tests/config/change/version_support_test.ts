import assert from "node:assert/strict";
import {
  newerInstaller,
  unknownIn,
} from "../../../config/change/version_support.ts";
import { documentKinds } from "../../../config/documents/kinds.ts";
import { mainKind } from "../../../config/documents/load.ts";
import type {
  Fields,
  OsVersion,
  Shape,
} from "../../../config/documents/schema.ts";
import { parseDocuments } from "./_documents.ts";

Deno.test("unknownIn finds keys that came later", () => {
  const found = unknownIn(
    parseDocuments(
      "machine: {install: {disk: /dev/sda, grubUseUKICmdline: true}}",
    ),
    "1.11",
  );
  assert.deepEqual(found.map(({ path, message }) => [path, message]), [[
    "machine.install.grubUseUKICmdline",
    "Version 1.11 does not support this key",
  ]]);
});

function image(name: string) {
  return parseDocuments(`machine: {install: {image: "${name}"}}`);
}

Deno.test("newerInstaller finds the installer in a document of its own", () => {
  const next = parseDocuments(
    "machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: UnattendedInstallConfig\n" +
      "installer: {image: e.org/i:v1.14.0}\n",
  );
  const old = image("example.org/installer:v1.13.0");
  assert.equal(newerInstaller(old, next, "1.13"), "e.org/i:v1.14.0");
  assert.equal(newerInstaller(old, next, "1.14"), undefined);
});

/**
 * Kinds and keys that nodes of 1.8 do not know, by the version that they came with; `[]` is in each element, `{}` in
 * each value. Nodes of 1.14 still know every key that an earlier version knew.
 */
const came: Readonly<Record<OsVersion, readonly string[]>> = {
  "1.9": [
    "v1alpha1.machine.network.interfaces[].deviceSelector.permanentAddr",
    "v1alpha1.machine.network.interfaces[].bond.deviceSelectors[].permanentAddr",
    "v1alpha1.machine.network.interfaces[].bridgePort",
    "v1alpha1.machine.network.searchDomains",
    "v1alpha1.machine.registries.mirrors{}.skipFallback",
    "v1alpha1.machine.features.imageCache",
    "v1alpha1.machine.features.nodeAddressSortAlgorithm",
    "v1alpha1.machine.baseRuntimeSpecOverrides",
    "v1alpha1.cluster.apiServer.authorizationConfig",
  ],
  "1.10": [
    "EthernetConfig",
    "UserVolumeConfig",
    "PCIDriverRebindConfig",
    "SideroLinkConfig.uniqueToken",
  ],
  "1.11": words(`
    VolumeConfig.encryption VolumeConfig.encryption.keys[].lockToState
    UserVolumeConfig.filesystem.projectQuotaSupport
    UserVolumeConfig.encryption.keys[].lockToState RawVolumeConfig
    RawVolumeConfig.encryption.keys[].lockToState ExistingVolumeConfig
    SwapVolumeConfig SwapVolumeConfig.encryption.keys[].lockToState ZswapConfig
  `),
  "1.12": words(`
    v1alpha1.machine.network.kubespan.filters.excludeAdvertisedNetworks
    v1alpha1.machine.install.grubUseUKICmdline LinkConfig BondConfig
    BridgeConfig DummyLinkConfig VLANConfig WireguardConfig LinkAliasConfig
    EthernetConfig.wakeOnLan DHCPv4Config DHCPv6Config Layer2VIPConfig
    HCloudVIPConfig HostnameConfig ResolverConfig StaticHostConfig
    TimeSyncConfig VolumeConfig.encryption.keys[].tpm.options
    UserVolumeConfig.volumeType UserVolumeConfig.encryption.keys[].tpm.options
    RawVolumeConfig.encryption.keys[].tpm.options
    SwapVolumeConfig.encryption.keys[].tpm.options RegistryMirrorConfig
    RegistryAuthConfig RegistryTLSConfig OOMConfig
  `),
  "1.13": words(`
    v1alpha1.cluster.network.cni.flannel.kubeNetworkPoliciesEnabled VRFConfig
    BlackholeRouteConfig RoutingRuleConfig KubeSpanConfig TCPProbeConfig
    VolumeConfig.mount UserVolumeConfig.mount
    ExistingVolumeConfig.mount.disableAccessTime
    ExistingVolumeConfig.mount.secure ExternalVolumeConfig
    ImageVerificationConfig EnvironmentConfig
  `),
  "1.14": words(`
    VethConfig DHCPv4Config.ignoreRoutes BGPInstanceConfig
    ResolverConfig.nameservers[].protocol
    ResolverConfig.nameservers[].tlsServerName ResolverConfig.hostDNS
    TimeSyncConfig.ntp.useNTS DiscoveryServiceConfig DiscoveryIdentityConfig
    HTTPProbeConfig VolumeConfig.filesystem VolumeConfig.filesystem.xfs
    VolumeConfig.encryption.allowDiscards VolumeConfig.mount.disableAccessTime
    VolumeConfig.trim VolumeConfig.scrub UserVolumeConfig.filesystem.xfs
    UserVolumeConfig.encryption.allowDiscards UserVolumeConfig.trim
    UserVolumeConfig.scrub RawVolumeConfig.encryption.allowDiscards
    ExistingVolumeConfig.trim ExistingVolumeConfig.scrub
    SwapVolumeConfig.encryption.allowDiscards FilesystemTrimConfig
    FilesystemScrubConfig RAIDArrayConfig LVMVolumeGroupConfig
    LVMLogicalVolumeConfig ImageCacheConfig CRIBaseRuntimeSpecConfig
    CRICustomizationConfig ContainerConfig KubeClusterConfig KubeNetworkConfig
    KubeNodeConfig KubeletConfig KubePrismConfig KubeAPIServerCAConfig
    KubeAggregatorCAConfig KubeServiceAccountConfig KubeEtcdEncryptionConfig
    KubeAPIServerConfig KubeControllerManagerConfig KubeSchedulerConfig
    KubeProxyConfig KubeCoreDNSConfig KubeFlannelCNIConfig
    KubeAdmissionControlConfig KubeAuditPolicyConfig KubeAuthenticationConfig
    KubeAuthorizerConfig KubeCredentialProviderConfig KubeTalosAPIAccessConfig
    KubeInlineManifestConfig KubeExternalManifestConfig KubeStaticPodConfig
    SysctlConfig SysfsConfig KernelModuleConfig UdevRulesConfig EtcFileConfig
    SecurityProfileConfig UnattendedInstallConfig
  `),
};

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Versions of kinds and of all keys below fields, by their paths. */
function* versionsBelow(
  fields: Fields,
  path: string,
): Iterable<readonly [path: string, since: OsVersion | undefined]> {
  for (const [key, { shape, since, until }] of Object.entries(fields)) {
    assert.equal(until, undefined, `${path}.${key}`);
    yield [`${path}.${key}`, since];
    yield* versionsIn(shape, `${path}.${key}`);
  }
}

function* versionsIn(
  shape: Shape,
  path: string,
): Iterable<readonly [path: string, since: OsVersion | undefined]> {
  if (shape.shape === "struct") yield* versionsBelow(shape.fields, path);
  else if (shape.shape === "list") yield* versionsIn(shape.of, `${path}[]`);
  else if (shape.shape === "map") yield* versionsIn(shape.of, `${path}{}`);
}

/** A document in which nothing is given but what a path leads to. */
function documentWith(path: string): string {
  const [kind = "", ...steps] = path.split(".");
  const inner = steps.toReversed().reduce<unknown>((value, step) => {
    const [, key = "", around = ""] = /^(\w+)(.*)$/.exec(step)!;
    const held = around === "[]"
      ? [value]
      : around === "{}"
      ? { own: value }
      : value;
    return { [key]: held };
  }, {});
  return JSON.stringify(
    kind === mainKind
      ? inner
      : { apiVersion: "v1alpha1", kind, ...Object(inner) },
  );
}

Deno.test("every kind and key is unknown to the version before it came, and known since", () => {
  const described = [...documentKinds.values()].flatMap((
    { kind, since, fields },
  ) => [[kind, since] as const, ...versionsBelow(fields, kind)]);
  const versions = Object.keys(came) as OsVersion[];
  for (const [index, version] of versions.entries()) {
    const paths = came[version]!;
    assert.deepEqual(
      described.flatMap(([path, since]) => since === version ? [path] : []),
      paths,
    );
    const before = versions[index - 1] ?? "1.8";
    for (const path of paths) {
      const [document] = parseDocuments(documentWith(path));
      const [kind = ""] = path.split(".");
      // The document of a field may be as new as the field.
      const { message, hint } = unknownIn([document!], before).at(-1) ?? {};
      assert.deepEqual([message, hint], [
        `Version ${before} does not support ${
          paths.includes(kind) ? kind : "this key"
        }`,
        `It is supported since ${version}`,
      ], path);
      assert.deepEqual(unknownIn([document!], version), [], path);
    }
  }
  const known = new Set(versions);
  assert.deepEqual(
    described.filter(([, since]) => since !== undefined && !known.has(since)),
    [],
  );
});
