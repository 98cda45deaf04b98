import { crossDocumentRules } from "../../../config/rules/cross_document.ts";
import { testRules } from "./_rules.ts";

function rules(
  ...[, context]: Parameters<Parameters<typeof testRules>[1]>
): ReturnType<typeof crossDocumentRules> {
  return crossDocumentRules(context);
}

function beside(kind: string, main: string, rest = ""): string {
  return `machine: ${main}\n---\napiVersion: v1alpha1\nkind: ${kind}\n${rest}`;
}

const encrypted = "{systemDiskEncryption: {state: {}}}";

testRules("crossDocumentRules", rules, [
  ["says nothing without a main document", "kind: HostnameConfig", []],
  ["takes a main document alone", "machine: {network: {hostname: a}}", []],
  [
    "takes documents that say something else",
    beside(
      "HostnameConfig",
      "{network: {hostname: '', searchDomains: [a]}, time: {disabled: true}, features: {stableHostname: false}}",
    ),
    [],
  ],
  [
    "refuses two hostnames",
    beside(
      "HostnameConfig",
      "{network: {hostname: a}, features: {stableHostname: true}}",
    ),
    [
      "error machine.network.hostname: machine.network.hostname is given besides document HostnameConfig",
      "error machine.features.stableHostname: machine.features.stableHostname is given besides document HostnameConfig",
    ],
  ],
  [
    "refuses two resolvers",
    beside(
      "ResolverConfig",
      "{network: {nameservers: [10.0.0.1], searchDomains: [], disableSearchDomain: true}}",
    ),
    [
      "error machine.network.nameservers: machine.network.nameservers is given besides document ResolverConfig",
      "error machine.network.searchDomains: machine.network.searchDomains is given besides document ResolverConfig",
      "error machine.network.disableSearchDomain: machine.network.disableSearchDomain is given besides document ResolverConfig",
    ],
  ],
  [
    "takes nameservers that nodes leave out",
    beside(
      "ResolverConfig",
      "{network: {nameservers: [node], disableSearchDomain: false}}",
    ),
    [],
  ],
  [
    "refuses two times",
    beside(
      "TimeSyncConfig",
      "{time: {disabled: true, servers: [a], bootTimeout: 1m}}",
    ),
    [
      "error machine.time.disabled: machine.time.disabled is given besides document TimeSyncConfig",
      "error machine.time.servers: machine.time.servers is given besides document TimeSyncConfig",
      "error machine.time.bootTimeout: machine.time.bootTimeout is given besides document TimeSyncConfig",
    ],
  ],
  [
    "takes times that say nothing",
    beside(
      "TimeSyncConfig",
      "{time: {disabled: false, servers: [], bootTimeout: 0s}}",
    ),
    [],
  ],
  [
    "refuses to encrypt a volume twice",
    beside(
      "VolumeConfig",
      encrypted,
      "name: STATE\nencryption: {provider: luks2}",
    ),
    [
      "error machine.systemDiskEncryption.state: machine.systemDiskEncryption.state is given besides document VolumeConfig/STATE",
    ],
  ],
  [
    "takes a volume that is not encrypted",
    beside("VolumeConfig", encrypted, "name: STATE"),
    [],
  ],
  [
    "takes encryption of another volume",
    beside(
      "VolumeConfig",
      encrypted,
      "name: EPHEMERAL\nencryption: {provider: luks2}",
    ),
    [],
  ],
]);
