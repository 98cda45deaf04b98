import assert from "node:assert/strict";
import {
  definitionOfType,
  definitions,
  isShared,
  namespaces,
  sharedResources,
} from "../../../simulator/resources/resource_definitions.ts";
import { stopped } from "../_node.ts";

Deno.test("nodes have 161 types, each in a namespace that exists", () => {
  assert.equal(definitions.length, 161);
  for (const { defaultNamespace, type } of definitions) {
    assert.ok(defaultNamespace in namespaces, type);
  }
});

Deno.test("aliases are computed as nodes compute them", () => {
  const aliasesOf = (type: string) => definitionOfType(type)?.allAliases;
  assert.deepEqual(aliasesOf("LinkStatuses.net.talos.dev"), [
    "linkstatuses",
    "linkstatuses.net",
    "linkstatuses.net.talos",
    "link",
    "links",
    "linkstatus",
    "ls",
  ]);
  assert.deepEqual(aliasesOf("Members.cluster.talos.dev"), [
    "members",
    "members.cluster",
    "members.cluster.talos",
    "member",
  ]);
  assert.deepEqual(aliasesOf("ResourceDefinitions.meta.cosi.dev"), [
    "resourcedefinitions",
    "resourcedefinitions.meta",
    "resourcedefinitions.meta.cosi",
    "api-resources",
    "resourcedefinition",
    "rd",
    "rds",
  ]);
});

Deno.test("a type that has no automatic names is found by its own ones only", () => {
  assert.deepEqual(
    [
      "MountStatuses.runtime.talos.dev",
      "MountStatuses.block.talos.dev",
      "OOMActions.talos.dev",
    ].map((type) => definitionOfType(type)?.allAliases),
    [
      ["mounts"],
      ["mountstatuses", "mountstatuses.block", "mountstatuses.block.talos"]
        .concat("mountstatus", "ms"),
      ["oomactions", "oomactions.talos", "oomaction", "oomactions"]
        .concat("oomaction", "ooma", "oomas"),
    ],
  );
});

Deno.test("singular names follow the rules of nodes, odd ones included", () => {
  const names = [
    "Identities.cluster",
    "NodeAddresses.net",
    "DNSResolveCaches.net",
    "PlatformMetadatas",
    "LinkRefreshes.net",
  ];
  assert.deepEqual(
    names.map((name) => definitionOfType(`${name}.talos.dev`)?.displayType),
    [
      "Identity",
      "NodeAddress",
      "DNSResolveCach",
      "PlatformMetadata",
      "LinkRefresh",
    ],
  );
});

Deno.test("secrets are marked", () => {
  const sensitive = definitions.filter(({ sensitivity }) => sensitivity).map((
    { type },
  ) => type);
  assert.ok(sensitive.includes("OSRootSecrets.secrets.talos.dev"));
  assert.ok(sensitive.includes("KubeletSpecs.kubernetes.talos.dev"));
  assert.ok(!sensitive.includes("Members.cluster.talos.dev"));
});

Deno.test("types, namespaces and members are shared by all nodes", () => {
  const shared = sharedResources(stopped);
  const type = "ResourceDefinitions.meta.cosi.dev";
  assert.equal(shared.list({ namespace: "meta", type }).length, 161);
  assert.equal(isShared({ namespace: "meta", type }), true);
  assert.equal(
    isShared({ namespace: "cluster", type: "Members.cluster.talos.dev" }),
    true,
  );
  assert.equal(
    isShared({ namespace: "cluster", type: "Identities.cluster.talos.dev" }),
    false,
  );
});
