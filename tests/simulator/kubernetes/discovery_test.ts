import assert from "node:assert/strict";
import { openApi } from "./_api.ts";

Deno.test("clients find out what there is: groups, resources and the parameters of patches", async () => {
  const { ask, answer } = await openApi();
  assert.deepEqual(ask("GET /api").versions, ["v1"]);
  const groups = ask("GET /apis").groups as { name: string }[];
  assert.deepEqual(groups.map(({ name }) => name), [
    "apps",
    "policy",
    "rbac.authorization.k8s.io",
    "coordination.k8s.io",
  ]);
  assert.equal(ask("GET /apis/apps").preferredVersion.groupVersion, "apps/v1");
  const { resources } = ask("GET /api/v1") as {
    resources: {
      name: string;
      kind: string;
      shortNames?: string[];
      categories?: string[];
    }[];
  };
  const named = new Map(resources.map((one) => [one.name, one]));
  assert.deepEqual(named.get("pods")?.shortNames, ["po"]);
  assert.deepEqual(named.get("pods")?.categories, ["all"]);
  assert.equal(named.get("secrets")?.categories, undefined);
  assert.equal(named.get("pods/eviction")?.kind, "Eviction");
  const { paths } = ask("GET /openapi/v3");
  assert.equal(
    paths["apis/apps/v1"].serverRelativeURL,
    "/openapi/v3/apis/apps/v1",
  );
  const path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
  const { patch } = ask("GET /openapi/v3/apis/apps/v1").paths[path];
  assert.equal(patch["x-kubernetes-group-version-kind"].kind, "Deployment");
  assert.equal(ask("GET /openapi/v2").swagger, "2.0");
  assert.equal(answer("GET /apis/none").code, 404);
});
