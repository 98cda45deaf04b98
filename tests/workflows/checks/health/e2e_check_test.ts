import assert from "node:assert/strict";
import { e2eCheck } from "../../../../workflows/checks/health/e2e_check.ts";
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
  return await e2eCheck(jumping(), 60_000).look({
    ...site,
    kubernetes: () => Promise.resolve(kubernetes),
  });
}

Deno.test("tests are run by a pod, and nothing is left of them", async () => {
  const kubernetes = kubernetesWith({ phase: "Pending" }, ended(0));
  assert.deepEqual(await look(kubernetes), { state: "ok" });
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
    state: "failed",
    reason: "they ended with status 2",
  });
  assert.deepEqual(await look(kubernetesWith({ phase: "Failed" })), {
    state: "failed",
    reason: "they ended with status 1",
  });
  assert.deepEqual(await look(kubernetesWith({ phase: "Succeeded" })), {
    state: "ok",
  });
});
