/** Template of a new runbook. */

/** Schema file named in the first line of a new runbook. */
export const schemaName = "runbook.schema.json";

/** Type declarations imported by a new TypeScript runbook. */
export const typesName = "osctl-runbook.d.ts";

/** Generates a valid TypeScript runbook with comments. */
export function typescriptStarter(name: string): string {
  return `import type { Api, Steps } from "./${typesName}";

// A runbook in TypeScript is for steps that follow from data; write YAML otherwise.
// Trust it after each change, then check it:
//   osctl runbook trust ${name}.runbook.ts
//   osctl runbook check ${name}.runbook.ts

/** Zones in the order in which they are worked on. */
const zones = ["a", "b"];

/** Steps of each node. */
function restart(n: Steps): void {
  n.run("reboot", "node.reboot");
  n.gate("ready", ["node.ready"], { within: "10m" });
}

export default (rb: Api) =>
  rb.runbook("${name}", {
    title: "Restart workers, zone by zone",
    docs: "When to use it, what it does, what can go wrong, how to resume.",
    requires: { role: "os:admin", needs: ["kubernetes"] },
    policy: { lock: "cluster", deadline: "4h" },
  }, (b) => {
    b.gate("healthy", ["cluster.health"], { within: "5m" });
    for (const zone of zones) {
      const nodes = b.group(\`zone-\${zone}\`, {
        role: "worker",
        where: \`node.zone == '\${zone}'\`,
      });
      b.forEach(\`restart-\${zone}\`, nodes, { batch: 1 }, restart);
    }
  });
`;
}

/** Generates a valid runbook with comments. */
export function starter(name: string): string {
  return `# yaml-language-server: $schema=${schemaName}
# All keys: docs/runbooks/language. Look for problems: osctl runbook check ${name}.runbook.yaml
apiVersion: osctl/v1
kind: Runbook
name: ${name}
title: Restart workers, one after the other
docs: |
  When to use it, what it does, what can go wrong, how to resume.
requires: { role: os:admin, needs: [kubernetes] }

# What the operator gives: --input soak=5m, --inputs file.yaml, or OSCTL_INPUT_SOAK.
inputs:
  soak:
    type: duration
    default: 1m
    mutable: true # may be changed when the run is resumed
    description: How long a node has to stay healthy before the next one

policy:
  lock: cluster # none is for runbooks that only read
  deadline: 4h
  # Disruptions start only in this window:
  # window: { days: [tue, wed], from: "20:00", to: "23:30", zone: Europe/Berlin }

# Who: sets of nodes, each made from those above it.
groups:
  workers: { role: worker, order: [zoneRoundRobin, name] }

# What: one step after the other, each with an id and one verb:
# run, gate, approve, assert, decide, sleep, forEach, block, use.
steps:
  - id: healthy
    gate: [cluster.health]
    within: 5m

  - id: go
    approve:
      tag: start
      message: Restart \${{ size(groups.workers) }} workers of \${{ cluster.name }}?

  - id: workers
    # A node walks through all of its steps before it counts as done.
    forEach:
      nodes: workers
      strategy: { batch: 1, maxFailures: 0 }
    steps:
      - id: restart
        use: builtin:node-reboot
        pass: same-named # passes inputs of the same name

  - id: still-healthy
    gate: [cluster.health]
    within: 10m
`;
}
