import assert from "node:assert/strict";
import {
  definitionOfType,
  definitionsFor,
  descriptions,
  isShared,
  namespaceOfType,
  namespacesFor,
} from "../../../simulator/resources/resource_definitions.ts";
import { stopped } from "../_node.ts";

const minors = [8, 9, 10, 11, 12, 13, 14];

Deno.test("each version has its types, each in a namespace that exists", () => {
  assert.deepEqual(
    minors.map((minor) => definitionsFor(minor).size),
    // As many as nodes register, and the two that describe the others.
    [135, 139, 150, 157, 161, 167, 196],
  );
  for (const minor of minors) {
    const namespaces = namespacesFor(minor);
    for (const { defaultNamespace, type } of definitionsFor(minor).values()) {
      assert.ok(defaultNamespace in namespaces, `${minor} ${type}`);
      assert.equal(namespaceOfType(type), defaultNamespace);
    }
  }
  assert.deepEqual(
    minors.map((minor) => Object.keys(namespacesFor(minor)).length),
    [16, 16, 16, 16, 16, 17, 19],
  );
});

Deno.test("types have the columns, names and secrecy of each version", () => {
  const columnsOf = (type: string) =>
    minors.map((minor) =>
      definitionOfType(type, minor)?.printColumns.map(({ name }) => name).join()
    );
  const former = "Interface name,MTU,Node address";
  assert.deepEqual(columnsOf("SiderolinkTunnels.siderolink.talos.dev"), [
    `API Endpoint,${former}`,
    ...minors.slice(1).map(() => "API Endpoint,Link name,MTU,Node address"),
  ]);
  assert.deepEqual(columnsOf("Versions.runtime.talos.dev"), [
    ...[undefined, undefined, "Version", "Version", "Version"],
    ...["Name,Version", "Name,Version"],
  ]);
  const findModules = (minor: number) =>
    [...definitionsFor(minor).values()].filter(({ allAliases }) =>
      allAliases.includes("modules")
    ).map(({ displayType }) => displayType);
  assert.deepEqual(minors.map(findModules), [
    ...[["KernelModuleSpec"], ["KernelModuleSpec"], ["KernelModuleSpec"]],
    ...[["LoadedKernelModule"], ["LoadedKernelModule"]],
    ...[["LoadedKernelModule"], ["KernelModuleStatus"]],
  ]);
  const isSecret = (minor: number) =>
    definitionOfType("KubeletSpecs.kubernetes.talos.dev", minor)?.sensitivity;
  assert.deepEqual([11, 12].map(isSecret), [undefined, "sensitive"]);
});

Deno.test("aliases are computed as nodes compute them", () => {
  const aliasesOf = (type: string) => definitionOfType(type, 12)?.allAliases;
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
    ].map((type) => definitionOfType(type, 12)?.allAliases),
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
    names.map((name) => definitionOfType(`${name}.talos.dev`, 12)?.displayType),
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
  const sensitive = [...definitionsFor(12).values()]
    .filter(({ sensitivity }) => sensitivity).map(({ type }) => type);
  assert.ok(sensitive.includes("OSRootSecrets.secrets.talos.dev"));
  assert.ok(sensitive.includes("KubeletSpecs.kubernetes.talos.dev"));
  assert.ok(!sensitive.includes("Members.cluster.talos.dev"));
});

Deno.test("types are described for each version; members are shared by all nodes", () => {
  const describe = descriptions(stopped);
  const type = "ResourceDefinitions.meta.cosi.dev";
  const listed = (minor: number) =>
    describe(minor).list({ namespace: "meta", type }).length;
  assert.deepEqual([8, 12].map(listed), [135, 161]);
  assert.equal(describe(8), describe(8));
  assert.equal(isShared({ namespace: "meta", type }), false);
  assert.equal(
    isShared({ namespace: "cluster", type: "Members.cluster.talos.dev" }),
    true,
  );
  assert.equal(
    isShared({ namespace: "cluster", type: "Identities.cluster.talos.dev" }),
    false,
  );
});
