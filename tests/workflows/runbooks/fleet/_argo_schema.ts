/** The fields of a workflow of Argo that are written; nothing else may stand there. */

import { Ajv2020 } from "ajv/dist/2020.js";

const text = { type: "string", minLength: 1 };
const name = { type: "string", pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" };
const count = { type: "string", pattern: "^[0-9]+$" };
const seconds = { type: "string", pattern: "^[0-9]+(s|m|h)$" };

/** A mapping with these keys and no others; those with a question mark may be missing. */
function only(keys: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(keys);
  return {
    type: "object",
    additionalProperties: false,
    required: names.filter((key) => !key.endsWith("?")),
    properties: Object.fromEntries(
      Object.entries(keys).map(([key, value]) => [key.replace("?", ""), value]),
    ),
  };
}

function all(items: unknown, minItems = 1): unknown {
  return { type: "array", minItems, items };
}

const parameter = only({
  name: { type: "string", pattern: "^[-a-zA-Z0-9_]+$" },
  "value?": { type: "string" },
});

const step = only({
  name,
  template: name,
  "withParam?": text,
  "arguments?": only({ parameters: all(parameter) }),
});

const mount = only({
  name,
  mountPath: { type: "string", pattern: "^/" },
  "subPath?": text,
  "readOnly?": { type: "boolean" },
});

const container = only({
  image: text,
  command: all(text),
  args: all(text),
  "env?": all(only({ name: text, value: text })),
  volumeMounts: all(mount),
});

const template = {
  oneOf: [
    only({
      name,
      parallelism: { type: "integer", minimum: 1 },
      steps: all(all(step)),
    }),
    only({ name, suspend: only({}) }),
    only({
      name,
      "inputs?": only({ parameters: all(parameter) }),
      "synchronization?": only({ mutexes: all(only({ name: text })) }),
      "retryStrategy?": only({
        limit: count,
        retryPolicy: {
          enum: ["Always", "OnFailure", "OnError", "OnTransientError"],
        },
        expression: text,
        backoff: only({ duration: seconds, maxDuration: seconds }),
      }),
      container,
      "podSpecPatch?": text,
    }),
  ],
};

const volume = {
  oneOf: [
    only({ name, persistentVolumeClaim: only({ claimName: name }) }),
    only({ name, secret: only({ secretName: name }) }),
    only({ name, configMap: only({ name }) }),
  ],
};

const workflow = only({
  apiVersion: { const: "argoproj.io/v1alpha1" },
  kind: { const: "Workflow" },
  metadata: only({
    generateName: { type: "string", pattern: "^[a-z0-9][-a-z0-9]*-$" },
    annotations: { type: "object", additionalProperties: text },
  }),
  spec: only({
    entrypoint: name,
    onExit: name,
    activeDeadlineSeconds: { type: "integer", minimum: 1 },
    podGC: only({
      strategy: {
        enum: [
          "OnPodCompletion",
          "OnPodSuccess",
          "OnWorkflowCompletion",
          "OnWorkflowSuccess",
        ],
      },
    }),
    arguments: only({ parameters: all(parameter) }),
    templates: all(template),
    volumes: all(volume),
  }),
});

const fits = new Ajv2020({ strict: false }).compile(workflow as object);

/**
 * What is wrong with a manifest: its shape, and names that lead nowhere.
 *
 * @param manifest What was rendered.
 * @returns Nothing when it is right.
 */
export function argoFaults(manifest: unknown): readonly string[] {
  const isRight = fits(manifest) as boolean; // no guard of a type of its own
  if (!isRight) {
    return (fits.errors ?? []).map(({ instancePath, message }) =>
      `${instancePath}: ${message}`
    );
  }
  const { spec } = manifest as Workflow; // it fits
  const known = new Set(spec.templates.map(({ name }) => name));
  const volumes = new Set(spec.volumes.map(({ name }) => name));
  const parameters = new Set(spec.arguments.parameters.map(({ name }) => name));
  const steps = spec.templates.flatMap(({ steps = [] }) => steps.flat());
  const used = [
    spec.entrypoint,
    spec.onExit,
    ...steps.map(({ template }) => template),
  ];
  const mounts = spec.templates.flatMap(({ container }) =>
    container?.volumeMounts ?? []
  );
  const named = [
    ...JSON.stringify(manifest).matchAll(
      /\{\{workflow\.parameters\.([^}]+)\}\}/g,
    ),
  ];
  return [
    ...used.filter((one) => !known.has(one)).map((one) => `template ${one}`),
    ...mounts.filter(({ name }) => !volumes.has(name))
      .map(({ name }) => `volume ${name}`),
    ...named.filter(([, one = ""]) => !parameters.has(one))
      .map(([one]) => `parameter ${one}`),
    ...twice("step", steps.map(({ name }) => name)),
    ...twice("template", spec.templates.map(({ name }) => name)),
    ...twice("parameter", spec.arguments.parameters.map(({ name }) => name)),
  ];
}

function twice(what: string, names: readonly string[]): readonly string[] {
  return names.filter((one, index) => names.indexOf(one) !== index)
    .map((one) => `${what} ${one} twice`);
}

interface Named {
  readonly name: string;
}

interface Workflow {
  readonly spec: {
    readonly entrypoint: string;
    readonly onExit: string;
    readonly arguments: { readonly parameters: readonly Named[] };
    readonly volumes: readonly Named[];
    readonly templates: readonly (Named & {
      readonly steps?: readonly (readonly (Named & {
        readonly template: string;
      })[])[];
      readonly container?: { readonly volumeMounts: readonly Named[] };
    })[];
  };
}
