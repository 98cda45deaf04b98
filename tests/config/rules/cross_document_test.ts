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
      "error machine.network.hostname: machine.network.hostname conflicts with document HostnameConfig",
      "error machine.features.stableHostname: machine.features.stableHostname conflicts with document HostnameConfig",
    ],
  ],
  [
    "refuses two resolvers",
    beside(
      "ResolverConfig",
      "{network: {nameservers: [10.0.0.1], searchDomains: [], disableSearchDomain: true}}",
    ),
    [
      "error machine.network.nameservers: machine.network.nameservers conflicts with document ResolverConfig",
      "error machine.network.searchDomains: machine.network.searchDomains conflicts with document ResolverConfig",
      "error machine.network.disableSearchDomain: machine.network.disableSearchDomain conflicts with document ResolverConfig",
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
      "error machine.time.disabled: machine.time.disabled conflicts with document TimeSyncConfig",
      "error machine.time.servers: machine.time.servers conflicts with document TimeSyncConfig",
      "error machine.time.bootTimeout: machine.time.bootTimeout conflicts with document TimeSyncConfig",
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
      "error machine.systemDiskEncryption.state: machine.systemDiskEncryption.state conflicts with document VolumeConfig/STATE",
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
