/** Renders a fleet as an Argo Workflow: one pod per cluster, wave after wave. */

import { exitStatus } from "../../../errors.ts";
import { builtinPrefix } from "../language/loading/include.ts";
import type { Json } from "../../../lib/json.ts";
import type { Fleet, Wave } from "./fleet.ts";
import { everyTag, imageParameter } from "./fleet_language.ts";
import type { collectApprovals } from "./fleet_rules.ts";

interface RenderedWorkflow {
  readonly name: string;
  /** `builtin:name`, or the path of the file as loaded. */
  readonly source: string;
  /** SHA-256 of the intermediate form, hexadecimal. */
  readonly ir: string;
  readonly client: string;
  /** Its approvals, by tag. */
  readonly approvals: ReturnType<typeof collectApprovals>;
}

const folders = { state: "/state", creds: "/creds", runbooks: "/runbooks" };

const templates = {
  waves: "waves",
  hold: "hold",
  cluster: "cluster",
  report: "report",
} as const;

/** Longest `generateName` of a workflow; Kubernetes appends a suffix. */
const longestName = 50;

/** Extra time of a pod beyond that of its run, in seconds. */
const spareSeconds = 10;

/**
 * Exit codes, as strings, after which the run is resumed. Argo reports -1 for a container without a status, as when a
 * node evicts its pod, and 0 for a container whose pod failed after it.
 */
const resumed = [
  -1,
  exitStatus.ok,
  exitStatus.stopped,
  137,
  exitStatus.terminated,
];

/** Makes an Argo Workflow, apiVersion `argoproj.io/v1alpha1`. */
export function argoWorkflow(fleet: Fleet, rendered: RenderedWorkflow): Json {
  const { waves, inputs, image, deadlineSeconds } = fleet;
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Workflow",
    metadata: {
      generateName: formatName(fleet, rendered),
      annotations: {
        "osctl.dev/ir-sha256": rendered.ir,
        "osctl.dev/rendered-by": `osctl ${rendered.client}`,
        ...openApprovals(fleet, rendered),
      },
    },
    spec: {
      entrypoint: templates.waves,
      onExit: templates.report,
      activeDeadlineSeconds: deadlineSeconds,
      podGC: { strategy: "OnWorkflowSuccess" },
      arguments: {
        parameters: [
          ...Object.entries(inputs).map(([name, value]) => ({ name, value })),
          ...waves.map(({ name, clusters }) => ({
            name,
            value: JSON.stringify(clusters),
          })),
          // Runs can be resumed with another version.
          { name: imageParameter, value: image },
        ],
      },
      templates: [
        wavesTemplate(fleet),
        ...waves.some(({ approve }) => approve)
          ? [{ name: templates.hold, suspend: {} }]
          : [],
        clusterTemplate(fleet, rendered),
        reportTemplate(),
      ],
      volumes: renderVolumes(fleet),
    },
  };
}

/** Approvals not given in advance, with the validity of their answers: `drop 1h, start 24h`. */
function openApprovals(
  { yes }: Fleet,
  { approvals }: RenderedWorkflow,
): Readonly<Record<string, string>> {
  const open = [...approvals].flatMap(([tag, { destructive, timeout }]) => {
    const isGiven = yes.includes(tag) || yes.includes(everyTag) && !destructive;
    const initial = destructive ? "1h" : "24h";
    return isGiven ? [] : [`${tag} ${timeout ?? initial}`];
  });
  return open.length === 0
    ? {}
    : { "osctl.dev/approvals-valid-for": open.toSorted().join(", ") };
}

function formatName(
  { name }: Fleet,
  { name: runbook }: RenderedWorkflow,
): string {
  const text = `${runbook}-${name}`.slice(0, longestName);
  return `${text.replace(/-+$/, "")}-`;
}

/** Argo limits the children of a template, so the limit is set where the clusters are listed. */
function wavesTemplate({ waves, parallel }: Fleet): Json {
  return {
    name: templates.waves,
    parallelism: parallel,
    steps: waves.flatMap((wave) => [
      ...wave.approve
        ? [[{ name: `approve-${wave.name}`, template: templates.hold }]]
        : [],
      [renderStep(wave)],
    ]),
  };
}

function renderStep({ name }: Wave): Json {
  return {
    name,
    template: templates.cluster,
    withParam: `{{workflow.parameters.${name}}}`,
    arguments: { parameters: [{ name: "cluster", value: "{{item}}" }] },
  };
}

const cluster = "{{inputs.parameters.cluster}}";

const image = `{{workflow.parameters.${imageParameter}}}`;

function clusterTemplate(fleet: Fleet, rendered: RenderedWorkflow): Json {
  const { deadlineSeconds, graceSeconds, runbookMap } = fleet;
  return {
    name: templates.cluster,
    inputs: { parameters: [{ name: "cluster" }] },
    synchronization: { mutexes: [{ name: `osctl-${cluster}` }] },
    retryStrategy: {
      limit: "20",
      retryPolicy: "Always",
      expression: `lastRetry.status == 'Error' || lastRetry.exitCode in [${
        resumed.map((code) => `'${code}'`).join(", ")
      }]`,
      // Measured from the first attempt: a run may take all of that time.
      backoff: { duration: "30s", maxDuration: `${deadlineSeconds}s` },
    },
    container: {
      image,
      command: ["osctl", "runbook", "run-or-resume"],
      args: renderArguments(fleet, rendered),
      env: [{ name: "OSCONFIG", value: `${folders.creds}/${cluster}` }],
      volumeMounts: [
        { name: "state", mountPath: folders.state, subPath: cluster },
        { name: "creds", mountPath: folders.creds, readOnly: true },
        ...runbookMap === undefined ? [] : [{
          name: "runbooks",
          mountPath: folders.runbooks,
          readOnly: true,
        }],
      ],
    },
    podSpecPatch: JSON.stringify({
      terminationGracePeriodSeconds: graceSeconds + spareSeconds,
    }),
  };
}

function renderArguments(
  { inputs, yes, graceSeconds }: Fleet,
  { source }: RenderedWorkflow,
): readonly string[] {
  const runbook = source.startsWith(builtinPrefix)
    ? source
    : `${folders.runbooks}/${source.slice(source.lastIndexOf("/") + 1)}`;
  return [
    `--runbook=${runbook}`,
    `--run-key={{workflow.uid}}-${cluster}`,
    `--state-dir=${folders.state}`,
    ...Object.keys(inputs).map((name) =>
      `--input=${name}={{workflow.parameters.${name}}}`
    ),
    ...yes.includes(everyTag)
      ? ["--yes"]
      : yes.length > 0
      ? [`--yes=${yes.join(",")}`]
      : [],
    "--output=jsonl",
    `--grace=${graceSeconds}s`,
  ];
}

function reportTemplate(): Json {
  return {
    name: templates.report,
    container: {
      image,
      command: ["osctl", "runbook", "fleet-report"],
      args: [`--state-dir=${folders.state}`, "--run-key={{workflow.uid}}-"],
      volumeMounts: [{ name: "state", mountPath: folders.state }],
    },
  };
}

function renderVolumes(
  { stateClaim, osconfigSecret, runbookMap }: Fleet,
): readonly Json[] {
  return [
    { name: "state", persistentVolumeClaim: { claimName: stateClaim } },
    { name: "creds", secret: { secretName: osconfigSecret } },
    ...runbookMap === undefined
      ? []
      : [{ name: "runbooks", configMap: { name: runbookMap } }],
  ];
}
