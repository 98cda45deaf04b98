import assert from "node:assert/strict";
import { refuseRole } from "../../../../workflows/runbooks/run/required_role.ts";
import { RefusedError } from "../../../../errors.ts";
import type { Role } from "../../../../pki/roles.ts";
import type { Runbook } from "../../../../workflows/runbooks/runbook.ts";
import { withCluster } from "../../../_cluster.ts";
import { demo } from "../store/_runs.ts";

function needing(role: string): Runbook {
  return { ...demo, requires: { role, needs: [] } };
}

Deno.test("refuseRole lets a certificate pass that has the role, or a stronger one", async () => {
  await withCluster({}, async ({ identify }) => {
    const crt = async (...roles: Role[]) => (await identify(roles)).crt;
    const admin = await crt("os:admin");
    const operator = await crt("os:operator");
    const reader = await crt("os:reader");
    const passes = (role: string, pem: string) => {
      refuseRole(needing(role), pem);
    };
    passes("os:admin", admin);
    passes("os:operator", admin);
    passes("os:reader", operator);
    passes("os:etcd:backup", operator);
    for (
      const [role, pem] of [
        ["os:admin", operator],
        ["os:operator", reader],
        ["os:etcd:backup", reader],
        ["os:unheard", admin],
      ] as const
    ) assert.throws(() => passes(role, pem), RefusedError, role);
    assert.throws(
      () => passes("os:admin", reader),
      /^RefusedError: Runbook "demo" needs role "os:admin", and the certificate has os:reader$/,
    );
  });
});

Deno.test("refuseRole looks at runbooks that are used, and at nothing where there is no certificate", async () => {
  await withCluster({}, async ({ identify }) => {
    const { crt } = await identify(["os:reader"]);
    const steps = demo.steps.map((step) =>
      step.verb === "use"
        ? { ...step, runbook: { ...needing("os:admin"), name: "inner" } }
        : step
    );
    const using = { ...demo, steps };
    assert.throws(() => refuseRole(using, crt), /Runbook "inner" needs role/);
    refuseRole(demo, crt);
    refuseRole(using, undefined);
  });
});
