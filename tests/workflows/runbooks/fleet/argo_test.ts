import assert from "node:assert/strict";
import { argoWorkflow } from "../../../../workflows/runbooks/fleet/argo.ts";
import type { Fleet } from "../../../../workflows/runbooks/fleet/fleet.ts";
import { argoFaults } from "./_argo_schema.ts";

const fleet: Fleet = {
  name: "fleet",
  image: "registry.internal/osctl:1.4.0",
  waves: [
    { name: "canary", clusters: ["lab-1"], approve: false },
    { name: "rest", clusters: ["prod-eu-1", "prod-us-1"], approve: true },
  ],
  inputs: { version: "v1.14.1" },
  yes: ["start", "canary"],
  parallel: 10,
  deadlineSeconds: 172_800,
  graceSeconds: 50,
  stateClaim: "osctl-runs",
  osconfigSecret: "osconfigs",
};

const rendered = {
  name: "rolling-upgrade",
  source: "builtin:rolling-upgrade",
  ir: "3f9c",
  client: "v1.4.0",
  approvals: new Map(),
};

const item = { parameters: [{ name: "cluster", value: "{{item}}" }] };

Deno.test("a fleet is a workflow: waves, a pod for each cluster, and a report at the end", () => {
  const manifest = argoWorkflow(fleet, rendered);
  assert.deepEqual(argoFaults(manifest), []);
  assert.deepEqual(manifest, {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Workflow",
    metadata: {
      generateName: "rolling-upgrade-fleet-",
      annotations: {
        "osctl.dev/ir-sha256": "3f9c",
        "osctl.dev/rendered-by": "osctl v1.4.0",
      },
    },
    spec: {
      entrypoint: "waves",
      onExit: "report",
      activeDeadlineSeconds: 172_800,
      podGC: { strategy: "OnWorkflowSuccess" },
      arguments: {
        parameters: [
          { name: "version", value: "v1.14.1" },
          { name: "canary", value: '["lab-1"]' },
          { name: "rest", value: '["prod-eu-1","prod-us-1"]' },
          { name: "osctl-image", value: "registry.internal/osctl:1.4.0" },
        ],
      },
      templates: [
        {
          name: "waves",
          parallelism: 10,
          steps: [
            [{
              name: "canary",
              template: "cluster",
              withParam: "{{workflow.parameters.canary}}",
              arguments: item,
            }],
            [{ name: "approve-rest", template: "hold" }],
            [{
              name: "rest",
              template: "cluster",
              withParam: "{{workflow.parameters.rest}}",
              arguments: item,
            }],
          ],
        },
        { name: "hold", suspend: {} },
        {
          name: "cluster",
          inputs: { parameters: [{ name: "cluster" }] },
          synchronization: {
            mutexes: [{ name: "osctl-{{inputs.parameters.cluster}}" }],
          },
          retryStrategy: {
            limit: "20",
            retryPolicy: "Always",
            expression:
              "lastRetry.status == 'Error' || lastRetry.exitCode in ['-1', '0', '75', '137', '143']",
            backoff: { duration: "30s", maxDuration: "172800s" },
          },
          container: {
            image: "{{workflow.parameters.osctl-image}}",
            command: ["osctl", "runbook", "run-or-resume"],
            args: [
              "--runbook=builtin:rolling-upgrade",
              "--run-key={{workflow.uid}}-{{inputs.parameters.cluster}}",
              "--state-dir=/state",
              "--input=version={{workflow.parameters.version}}",
              "--yes=start,canary",
              "--output=jsonl",
              "--grace=50s",
            ],
            env: [{
              name: "OSCONFIG",
              value: "/creds/{{inputs.parameters.cluster}}",
            }],
            volumeMounts: [
              {
                name: "state",
                mountPath: "/state",
                subPath: "{{inputs.parameters.cluster}}",
              },
              { name: "creds", mountPath: "/creds", readOnly: true },
            ],
          },
          podSpecPatch: '{"terminationGracePeriodSeconds":60}',
        },
        {
          name: "report",
          container: {
            image: "{{workflow.parameters.osctl-image}}",
            command: ["osctl", "runbook", "fleet-report"],
            args: ["--state-dir=/state", "--run-key={{workflow.uid}}-"],
            volumeMounts: [{ name: "state", mountPath: "/state" }],
          },
        },
      ],
      volumes: [
        { name: "state", persistentVolumeClaim: { claimName: "osctl-runs" } },
        { name: "creds", secret: { secretName: "osconfigs" } },
      ],
    },
  });
});

Deno.test("a runbook that is a file is read from its volume", () => {
  const manifest = argoWorkflow({ ...fleet, runbookMap: "mine", yes: ["*"] }, {
    ...rendered,
    source: "a/b/own.runbook.yaml",
  });
  assert.deepEqual(argoFaults(manifest), []);
  const text = JSON.stringify(manifest);
  assert.match(text, /"--runbook=\/runbooks\/own\.runbook\.yaml"/);
  assert.match(text, /"--yes","--output=jsonl"/);
  assert.match(text, /\{"name":"runbooks","configMap":\{"name":"mine"\}\}/);
});

Deno.test("no question is asked where no wave wants it, and nothing is approved that was not said", () => {
  const waves = fleet.waves.map((wave) => ({ ...wave, approve: false }));
  const manifest = argoWorkflow({ ...fleet, waves, yes: [], inputs: {} }, {
    ...rendered,
    name: "x".repeat(60),
  });
  assert.deepEqual(argoFaults(manifest), []);
  const text = JSON.stringify(manifest);
  assert.doesNotMatch(text, /suspend|--yes|--input=/);
  assert.match(text, /"generateName":"x{50}-"/);
});

Deno.test("keys that Argo does not have, and names that lead nowhere, would be found", () => {
  const text = JSON.stringify(argoWorkflow(fleet, rendered));
  const faults = (from: string, to: string) =>
    argoFaults(JSON.parse(text.replace(from, to))).length;
  assert.ok(faults("retryStrategy", "retryStrategie") > 0);
  assert.ok(faults('"mountPath"', '"mountpath"') > 0);
  assert.deepEqual(
    argoFaults(JSON.parse(text.replace('"template":"hold"', '"template":"x"'))),
    ["template x"],
  );
});
