import {
  cloudProviderRules,
  dnsDomainRules,
  inlineManifestRules,
} from "../../../config/rules/cluster_network.ts";
import { testRules } from "./_rules.ts";

testRules("dnsDomainRules", dnsDomainRules, [
  ["takes a name", "cluster: {network: {dnsDomain: cluster.local}}", []],
  ["takes nothing", "cluster: {network: {dnsDomain: ''}}", []],
  ["refuses other texts", "cluster: {network: {dnsDomain: 'my cluster'}}", [
    'error cluster.network.dnsDomain: "my cluster" is not a DNS name',
  ]],
]);

testRules("cloudProviderRules", cloudProviderRules, [
  [
    "takes manifests of an enabled provider",
    "cluster: {externalCloudProvider: {enabled: true, manifests: ['https://a/b']}}",
    [],
  ],
  [
    "refuses manifests without a provider",
    "cluster: {externalCloudProvider: {manifests: ['https://a/b']}}",
    [
      "error cluster.externalCloudProvider.manifests: Manifests of a cloud provider are given, but none is enabled",
    ],
  ],
  [
    "refuses manifests that are no URL",
    "cluster: {externalCloudProvider: {enabled: true, manifests: ['https://a:0']}}",
    [
      'error cluster.externalCloudProvider.manifests[0]: Manifest URL "https://a:0" has port 0, which does not exist',
    ],
  ],
]);

testRules("inlineManifestRules", inlineManifestRules, [
  ["takes names", "cluster: {inlineManifests: [{name: a}, {name: b}]}", []],
  ["wants names", "cluster: {inlineManifests: [{}, {name: ' '}]}", [
    'error cluster.inlineManifests[0].name: "name" is missing',
    'error cluster.inlineManifests[1].name: " " is no name of an inline manifest',
  ]],
  ["refuses doubles", "cluster: {inlineManifests: [{name: a}, {name: a}]}", [
    'error cluster.inlineManifests[1].name: Two inline manifests are named "a"',
  ]],
]);
