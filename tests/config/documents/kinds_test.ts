import assert from "node:assert/strict";
import { conform } from "../../../config/documents/conform.ts";
import { documentKinds } from "../../../config/documents/kinds.ts";
import {
  apiVersion,
  loadDocuments,
  mainKind,
} from "../../../config/documents/load.ts";
import type { Field, Fields, Shape } from "../../../config/documents/schema.ts";
import { toTree } from "../../../config/tree/node.ts";
import { validateDocuments } from "../../../config/validate.ts";

/** Every field below some fields, with its path. */
function* fieldsBelow(
  fields: Fields,
  path: string,
): Iterable<readonly [path: string, field: Field]> {
  for (const [key, field] of Object.entries(fields)) {
    yield [`${path}.${key}`, field];
    yield* fieldsWithin(field.shape, `${path}.${key}`);
  }
}

function* fieldsWithin(
  shape: Shape,
  path: string,
): Iterable<readonly [path: string, field: Field]> {
  if (shape.shape === "struct") yield* fieldsBelow(shape.fields, path);
  if (shape.shape === "list" || shape.shape === "map") {
    yield* fieldsWithin(shape.of, path);
  }
}

const all = [...documentKinds.values()];
const described = all.flatMap((kind) => [
  [kind.kind, kind.summary] as const,
  ...[...fieldsBelow(kind.fields, kind.kind)].map(([path, { summary }]) =>
    [path, summary] as const
  ),
]);

const kinds = `
BGPInstanceConfig BlackholeRouteConfig BondConfig BridgeConfig
CRIBaseRuntimeSpecConfig CRICustomizationConfig ContainerConfig DHCPv4Config
DHCPv6Config DiscoveryIdentityConfig DiscoveryServiceConfig DummyLinkConfig
EnvironmentConfig EtcFileConfig EthernetConfig EventSinkConfig
ExistingVolumeConfig ExtensionServiceConfig ExternalVolumeConfig
FilesystemScrubConfig FilesystemTrimConfig HCloudVIPConfig HTTPProbeConfig
HostnameConfig ImageCacheConfig ImageVerificationConfig KernelModuleConfig
KmsgLogConfig KubeAPIServerCAConfig KubeAPIServerConfig
KubeAdmissionControlConfig KubeAggregatorCAConfig KubeAuditPolicyConfig
KubeAuthenticationConfig KubeAuthorizerConfig KubeClusterConfig
KubeControllerManagerConfig KubeCoreDNSConfig KubeCredentialProviderConfig
KubeEtcdEncryptionConfig KubeExternalManifestConfig KubeFlannelCNIConfig
KubeInlineManifestConfig KubeNetworkConfig KubeNodeConfig KubePrismConfig
KubeProxyConfig KubeSchedulerConfig KubeServiceAccountConfig KubeSpanConfig
KubeSpanEndpointsConfig KubeStaticPodConfig KubeTalosAPIAccessConfig
KubeletConfig LVMLogicalVolumeConfig LVMVolumeGroupConfig Layer2VIPConfig
LinkAliasConfig LinkConfig NetworkDefaultActionConfig NetworkRuleConfig
OOMConfig PCIDriverRebindConfig RAIDArrayConfig RawVolumeConfig
RegistryAuthConfig RegistryMirrorConfig RegistryTLSConfig ResolverConfig
RoutingRuleConfig SecurityProfileConfig SideroLinkConfig StaticHostConfig
SwapVolumeConfig SysctlConfig SysfsConfig TCPProbeConfig TimeSyncConfig
TrustedRootsConfig UdevRulesConfig UnattendedInstallConfig UserVolumeConfig
VLANConfig VRFConfig VethConfig VolumeConfig WatchdogTimerConfig WireguardConfig
ZswapConfig
`;

Deno.test("documentKinds knows every kind beside the main document", () => {
  const names = [...documentKinds.keys()].filter((name) => name !== mainKind);
  assert.deepEqual(names.sort(), kinds.trim().split(/\s+/));
});

Deno.test("summaries are one short line without a period", () => {
  assert.ok(described.length > 400);
  for (const [path, summary] of described) {
    assert.match(summary, /^(?:etcd|[^a-z\s])[^\n]{1,98}[^.\s]$/, path);
  }
});

Deno.test("secrets are marked", () => {
  const secrets = all.filter(({ kind }) => kind !== "v1alpha1").flatMap((
    { kind, fields },
  ) =>
    [...fieldsBelow(fields, kind)].flatMap(([path, { secret }]) =>
      secret ? [path] : []
    )
  );
  assert.deepEqual(secrets, [
    "WireguardConfig.privateKey",
    "WireguardConfig.peers.presharedKey",
    "HCloudVIPConfig.apiToken",
    "DiscoveryIdentityConfig.clusterSecret",
    "VolumeConfig.encryption.keys.static.passphrase",
    "UserVolumeConfig.encryption.keys.static.passphrase",
    "RawVolumeConfig.encryption.keys.static.passphrase",
    "SwapVolumeConfig.encryption.keys.static.passphrase",
    "RegistryAuthConfig.password",
    "RegistryAuthConfig.auth",
    "RegistryAuthConfig.identityToken",
    "RegistryTLSConfig.clientIdentity.key",
    "RegistryTLSConfig.ca",
    "KubeAPIServerCAConfig.issuingCA.key",
    "KubeAggregatorCAConfig.issuingCA.key",
    "KubeServiceAccountConfig.issuer.privateKey",
    "SideroLinkConfig.apiUrl",
    "SideroLinkConfig.uniqueToken",
  ]);
});

Deno.test("kinds that cannot be combined are in one group", () => {
  const groups = Map.groupBy(all, ({ group }) => group);
  groups.delete(undefined);
  const names = [...groups].map(([group, kinds]) =>
    [group, kinds.map(({ kind }) => kind)] as const
  );
  assert.deepEqual(Object.fromEntries(names), {
    links: [
      "LinkConfig",
      "BondConfig",
      "BridgeConfig",
      "DummyLinkConfig",
      "VLANConfig",
      "VRFConfig",
      "VethConfig",
      "WireguardConfig",
    ],
    vips: ["Layer2VIPConfig", "HCloudVIPConfig"],
    volumes: ["UserVolumeConfig", "ExistingVolumeConfig"],
  });
});

for (const { kind, fields, examples } of all) {
  Deno.test(`${kind}: its examples are right`, () => {
    assert.notEqual(examples.length, 0);
    for (const { title, value } of examples) {
      assert.ok(title !== undefined || examples.length === 1);
      const identity = kind === mainKind ? {} : { apiVersion, kind };
      const text = JSON.stringify({ ...identity, ...Object(value) });
      const loaded = loadDocuments(text, "example");
      assert.deepEqual(validateDocuments(loaded, { mode: "metal" }), []);
    }
  });

  Deno.test(`${kind}: examples of its fields fit them`, () => {
    for (const [path, { shape, examples }] of fieldsBelow(fields, kind)) {
      for (const { value } of examples ?? []) {
        const alone: Fields = { value: { shape, summary: "Value" } };
        const { problems } = conform(toTree({ value }), alone);
        assert.deepEqual(problems, [], path);
      }
    }
  });
}
