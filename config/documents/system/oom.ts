import { notNegative } from "../scalars/duration.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const oom = documentKind(oomRules)`
OOMConfig | since 1.12 | Out-of-memory handling: when to kill processes, and which
  = {"triggerExpression": "memory_full_avg10 > 12.0 && time_since_trigger > duration(\"500ms\")",
    "cgroupRankingExpression": "memory_current.hasValue() ? double(memory_current.value()) : 0.0",
    "strictCgroupClassOrdering": true, "sampleInterval": "100ms"}
  triggerExpression         | cel(oom-trigger), overwrite | CEL expression that triggers the OOM handler
    = "memory_full_avg10 > 12.0 && time_since_trigger > duration(\"500ms\")"
  cgroupRankingExpression   | cel(oom-ranking), overwrite | CEL expression that ranks cgroups; the highest rank is killed
    = "memory_current.hasValue() ? double(memory_current.value()) : 0.0"
  strictCgroupClassOrdering | boolean, optional, default true | Whether cgroups of lower QoS classes are always killed first
  sampleInterval            | duration, default 500ms | Interval between memory checks | "100ms"
`;

function oomRules(document: Cursor): Iterable<Problem> {
  return notNegative(document.get("sampleInterval"), "500ms");
}
