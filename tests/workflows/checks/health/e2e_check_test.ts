import assert from "node:assert/strict";
import {
  e2eCheck,
  testObjects,
} from "../../../../workflows/checks/health/e2e_check.ts";
import { answering } from "../../kubernetes/_answers.ts";
import { healthSite, jumping } from "./_health_site.ts";

const namespace = "/api/v1/namespaces/conformance";
const pod = `${namespace}/pods/e2e-conformance-test`;
const roles = "/apis/rbac.authorization.k8s.io/v1";

/** A Kubernetes in which the pod of the tests is seen in these states, one after the other. */
function kubernetesWith(...states: readonly unknown[]) {
  let [at, removed] = [0, 0];
  return answering({
    "/version": { gitVersion: "v1.34.1" },
    [pod]: () => ({ status: states[Math.min(at++, states.length - 1)] }),
    // Left by another run, and gone after a while.
    [namespace]: () => removed++ < 3 ? {} : 404,
  });
}

const ended = (exitCode: number) => ({
  phase: "Running",
  containerStatuses: [{ state: { terminated: { exitCode } } }],
});

async function look(kubernetes: ReturnType<typeof answering>) {
  const site = healthSite({});
  return await e2eCheck(jumping(), 60_000).run({
    ...site,
    kubernetes: () => Promise.resolve(kubernetes),
  });
}

Deno.test("tests are run by a pod, and nothing is left of them", async () => {
  const kubernetes = kubernetesWith({ phase: "Pending" }, ended(0));
  assert.deepEqual(await look(kubernetes), { ok: true, seen: "" });
  assert.deepEqual(
    kubernetes.asked.filter((line) => /^(POST|DELETE)/.test(line)),
    [
      `DELETE ${namespace}`,
      "POST /api/v1/namespaces",
      `POST ${namespace}/serviceaccounts`,
      `POST ${roles}/clusterroles`,
      `POST ${roles}/clusterrolebindings`,
      `POST ${namespace}/pods`,
    ],
  );
});

Deno.test("tests that fail have failed for good", async () => {
  assert.deepEqual(await look(kubernetesWith(ended(2))), {
    ok: false,
    reason: "they exited with status 2",
    final: true,
  });
  assert.deepEqual(await look(kubernetesWith({ phase: "Failed" })), {
    ok: false,
    reason: "they exited with status 1",
    final: true,
  });
  assert.deepEqual(await look(kubernetesWith({ phase: "Succeeded" })), {
    ok: true,
    seen: "",
  });
});

Deno.test("the pod of the tests has the image of the cluster's version, and never runs twice", () => {
  const objects = testObjects("v1.34.1");
  assert.deepEqual(objects.map(({ path }) => path.split("/").at(-1)), [
    "namespaces",
    "serviceaccounts",
    "clusterroles",
    "clusterrolebindings",
    "pods",
  ]);
  // deno-lint-ignore no-explicit-any
  const { spec } = objects[4]?.body as any;
  assert.equal(
    spec.containers[0].image,
    "registry.k8s.io/conformance:v1.34.1",
  );
  assert.equal(spec.restartPolicy, "Never");
  const [focus] = spec.containers[0].env;
  assert.equal(focus.name, "E2E_FOCUS");
  assert.equal(focus.value.split("|").length, 3);
});
