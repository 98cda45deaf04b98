import assert from "node:assert/strict";
import {
  type Contract,
  defaultContract,
  newestContract,
  parseContract,
} from "../../../config/generate/contract.ts";

const until11 = ["podSecurityPolicyDisabled", "rbac", "endpointInSans"];
const since2 = ["seccompProfile", "kubernetesRegistryDisabled"];
const since3 = ["manifestsDirectoryDisabled", "auditPolicy", "secretbox"];
const from3until11 = ["stableHostname", "keyUsageChecked"];
const since8 = ["hostDnsForwarding", "balancerLabel", "workerClusterName"];
const since12 = ["hostnameDocument", "ukiCommandLine", "mirrorDocuments"];

// Rows of the table of differences between versions, one line per version that differs.
const expected: Readonly<Record<string, readonly string[]>> = {
  "v1.0": until11,
  "v1.1": [...until11, "podSecurity"],
  "v1.2": [
    ...until11,
    "podSecurity",
    ...since2,
    "stableHostname",
    "formerRegistryMirrored",
  ],
  "v1.3": [...until11, "podSecurity", ...since2, ...since3, ...from3until11],
  "v1.4": [...until11, "podSecurity", ...since2, ...since3, ...from3until11],
};

const middle = [
  ...until11,
  "podSecurity",
  ...since2,
  ...since3,
  ...from3until11,
  "diskQuota",
];
const later: Readonly<Record<string, readonly string[]>> = {
  "v1.5": middle,
  "v1.6": [...middle, "kubePrism"],
  "v1.7": [...middle, "kubePrism", "hostDns", "rsaServiceAccount"],
  ...Object.fromEntries(
    ["v1.8", "v1.9", "v1.10", "v1.11"].map((version) => [version, [
      ...middle,
      "kubePrism",
      "hostDns",
      "rsaServiceAccount",
      ...since8,
    ]]),
  ),
  ...Object.fromEntries(["v1.12", "v1.13", "v1.14"].map((version) => [version, [
    "podSecurity",
    ...since2,
    ...since3,
    "diskQuota",
    "kubePrism",
    "rsaServiceAccount",
    ...since8,
    ...since12,
    ...(version === "v1.12" ? [] : ["kubespanDocument"]),
    ...(version === "v1.14" ? ["split", "singleQuotes"] : ["hostDns"]),
  ]])),
};

function listFeatures({ version: _, ...features }: Contract): string[] {
  return Object.entries(features).flatMap(([name, has]) => has ? [name] : [])
    .sort();
}

for (const [version, features] of Object.entries({ ...expected, ...later })) {
  Deno.test(`the contract ${version} has what that version understands`, () => {
    const contract = parseContract(version);
    assert.equal(contract.version, version);
    assert.deepEqual(listFeatures(contract), features.toSorted());
  });
}

for (
  const [text, version] of [
    ["1.8", "v1.8"],
    ["v1.8.0", "v1.8"],
    ["1.12.3", "v1.12"],
    ["v1.11.0-alpha.1", "v1.11"],
    ["v1.9.", "v1.9"],
    ["v01.02", "v1.2"],
  ] as const
) {
  Deno.test(`"${text}" is the contract ${version}`, () => {
    assert.deepEqual(parseContract(text), parseContract(version));
    assert.equal(parseContract(text).version, version);
  });
}

Deno.test("the newest contract is not the default one", () => {
  assert.deepEqual(newestContract, parseContract("v1.14"));
  assert.deepEqual(defaultContract, parseContract("v1.12"));
});

for (const text of ["v1.15", "1.100.2", "v2.0", "v2.0.0"]) {
  Deno.test(`"${text}" is refused as a future version`, () => {
    assert.throws(() => parseContract(text), {
      name: "ConfigError",
      status: 2,
      message:
        `OS version "${text}" is not known to this osctl: the newest known is v1.14`,
      hint: "Use v1.14, or a newer osctl",
    });
  });
}

for (const text of ["v0.14", "0.8.3"]) {
  Deno.test(`"${text}" is refused as too old`, () => {
    assert.throws(() => parseContract(text), {
      name: "ConfigError",
      message: `OS version "${text}" is not supported`,
      hint: "Versions from v1.0 to v1.14 are",
    });
  });
}

for (const text of ["", "v1", "latest", "vv1.8", " v1.8", "v1.12-alpha.1"]) {
  Deno.test(`"${text}" is not a version`, () => {
    assert.throws(() => parseContract(text), {
      name: "ConfigError",
      message: `Cannot read OS version "${text}"`,
      hint: "Give it as v1.12 or v1.8.3",
    });
  });
}
