import { notNegative } from "../scalars/duration.ts";
import { boolean, duration, expression } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field } from "../shapes.ts";

/** `OOMConfig`. */
export const oom: DocumentKind = {
  kind: "OOMConfig",
  summary: "Out-of-memory handling: when to kill processes, and which",
  named: false,
  since: "1.12",
  fields: {
    triggerExpression: field(
      expression("oom-trigger"),
      "CEL expression that triggers the OOM handler",
      {
        merge: "overwrite",
        example:
          'memory_full_avg10 > 12.0 && time_since_trigger > duration("500ms")',
      },
    ),
    cgroupRankingExpression: field(
      expression("oom-ranking"),
      "CEL expression that ranks cgroups; the highest rank is killed",
      {
        merge: "overwrite",
        example:
          "memory_current.hasValue() ? double(memory_current.value()) : 0.0",
      },
    ),
    strictCgroupClassOrdering: field(
      boolean,
      "Whether cgroups of lower QoS classes are always killed first",
      { optional: true, initial: "true" },
    ),
    sampleInterval: field(duration, "Interval between memory checks", {
      initial: "500ms",
      example: "100ms",
    }),
  },
  examples: [{
    value: {
      triggerExpression:
        'memory_full_avg10 > 12.0 && time_since_trigger > duration("500ms")',
      cgroupRankingExpression:
        "memory_current.hasValue() ? double(memory_current.value()) : 0.0",
      strictCgroupClassOrdering: true,
      sampleInterval: "100ms",
    },
  }],
  rules: (document) => notNegative(document.get("sampleInterval"), "500ms"),
};
