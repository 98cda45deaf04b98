import assert from "node:assert/strict";
import {
  resourceTypes,
  typesNamed,
} from "../../../transport/node/resource_types.ts";
import { fakeNodes } from "../../_fake.ts";

const links = `type: LinkStatuses.net.talos.dev
displayType: LinkStatus
defaultNamespace: network
aliases:
    - link
    - links
allAliases:
    - link
    - links
    - linkstatus
    - ls
printColumns:
    - name: Type
      jsonPath: '{.type}'
    - name: Kind
      jsonPath: '{.kind}'
`;

const services = `type: Services.v1alpha1.talos.dev
displayType: Service
defaultNamespace: runtime
allAliases: [svc, ls, 7]
sensitivity: sensitive
`;

async function* answer(request: { namespace: string; type: string }) {
  assert.deepEqual(
    [request.namespace, request.type],
    ["meta", "ResourceDefinitions.meta.cosi.dev"],
  );
  yield resource("linkstatuses.net.talos.dev", links);
  yield resource("services.v1alpha1.talos.dev", services);
}

function resource(id: string, yamlSpec: string) {
  return { resource: { metadata: { id }, spec: { yamlSpec } } };
}

async function types() {
  const { nodes } = fakeNodes({ a: { list: answer } });
  return await resourceTypes(await nodes.only("test"));
}

Deno.test("resourceTypes reads every definition of a node", async () => {
  assert.deepEqual(await types(), [
    {
      id: "linkstatuses.net.talos.dev",
      type: "LinkStatuses.net.talos.dev",
      displayType: "LinkStatus",
      defaultNamespace: "network",
      sensitive: false,
      allAliases: ["link", "links", "linkstatus", "ls"],
      printColumns: [
        { name: "Type", jsonPath: "{.type}" },
        { name: "Kind", jsonPath: "{.kind}" },
      ],
    },
    {
      id: "services.v1alpha1.talos.dev",
      type: "Services.v1alpha1.talos.dev",
      displayType: "Service",
      defaultNamespace: "runtime",
      sensitive: true,
      allAliases: ["svc", "ls"],
      printColumns: [],
    },
  ]);
});

Deno.test("typesNamed finds a type by full name and alias in any case", async () => {
  const all = await types();
  const found = (word: string) => typesNamed(all, word).map(({ type }) => type);
  assert.deepEqual(found("Links"), ["LinkStatuses.net.talos.dev"]);
  assert.deepEqual(found("SERVICES.V1ALPHA1.TALOS.DEV"), [
    "Services.v1alpha1.talos.dev",
  ]);
  assert.deepEqual(found("nothing"), []);
});

Deno.test("typesNamed gives every type an ambiguous word may mean", async () => {
  assert.equal(typesNamed(await types(), "ls").length, 2);
});
