/** Fields of a rendered workflow that its controller reads. */

/** Fields of a manifest that are read. */
export interface Manifest {
  readonly spec: {
    readonly entrypoint: string;
    readonly onExit: string;
    readonly activeDeadlineSeconds: number;
    readonly arguments: { readonly parameters: readonly Parameter[] };
    readonly templates: readonly Template[];
    readonly volumes: readonly (
      & { readonly name: string }
      & Readonly<Record<string, unknown>>
    )[];
  };
}

/** A name and its value. */
export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/** A step of a template. */
export interface Step {
  readonly name: string;
  readonly template: string;
  readonly withParam?: string;
  readonly arguments?: { readonly parameters: readonly Parameter[] };
}

/** A template. */
export interface Template {
  readonly name: string;
  readonly parallelism?: number;
  readonly steps?: readonly (readonly Step[])[];
  readonly suspend?: unknown;
  readonly synchronization?: {
    readonly mutexes: readonly { readonly name: string }[];
  };
  readonly retryStrategy?: RetryStrategy;
  readonly container?: {
    readonly image: string;
    readonly command: readonly string[];
    readonly args: readonly string[];
    readonly env?: readonly Parameter[];
    readonly volumeMounts: readonly {
      readonly name: string;
      readonly mountPath: string;
      readonly subPath?: string;
    }[];
  };
  readonly podSpecPatch?: string;
}

interface RetryStrategy {
  readonly limit: string;
  readonly retryPolicy: "Always" | "OnFailure" | "OnError";
  readonly expression: string;
  readonly backoff: { readonly duration: string; readonly maxDuration: string };
}
