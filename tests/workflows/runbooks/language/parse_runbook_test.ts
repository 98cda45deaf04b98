import assert from "node:assert/strict";
import { load } from "./_finders.ts";

const everything = `apiVersion: osctl/v1
kind: Runbook
name: every-key
title: Every key
docs: |
  # Words
per: cluster
requires: { osctl: ">=1.0.0 <2.0.0", role: os:admin, needs: [kubernetes] }
inputs:
  version: { type: semver, required: true, description: Target }
  word: { type: string, pattern: "[a-z]+", default: abc }
  count: { type: int, min: 1, max: 9, default: 2, mutable: true }
  flag: { type: bool, default: false }
  wait: { type: duration, min: 1s, max: 1h, default: 5m, mutable: true }
  mode: { type: enum, values: [a, b], default: a }
  batch: { type: countOrPercent, default: 25%, mutable: true }
  file: { type: path, required: false }
  one: { type: node }
  many: { type: nodes }
  ca: { type: secret, format: ca-bundle }
vars:
  long: "\${{ inputs.version }}-x"
  list: [1, true, null, "1"]
policy:
  lock: cluster
  deadline: 12h
  membership: frozen
  window: { days: [tue, wed], from: "20:00", to: "23:30", zone: Europe/Berlin }
  allow:
    - { rule: version-path, when: inputs.flag, reason: lab }
    - { rule: image-identity }
groups:
  all: {}
  workers:
    role: worker
    names: [a, b]
    labels: { zone: "1", gpu: "true" }
    where: node.ready
    from: all
    union: [all]
    except: all
    take: 10%
    order: [zoneRoundRobin, name]
    at: entry
steps:
  - { id: a, run: etcd.status }
rescue:
  - { id: b, run: etcd.status }
always:
  - { id: c, run: etcd.status }
outputs:
  seen: "\${{ size(result.done) }}"
  text: done
`;

Deno.test("a runbook keeps every key", async () => {
  const runbook = await load({ "a.yaml": everything });
  const { steps, rescue, always, ...rest } = runbook;
  assert.deepEqual([steps, rescue, always].map(([step]) => step?.id), [
    "a",
    "b",
    "c",
  ]);
  assert.deepEqual(rest, {
    v: 1,
    name: "every-key",
    title: "Every key",
    docs: "# Words\n",
    per: "cluster",
    requires: {
      osctl: ">=1.0.0 <2.0.0",
      role: "os:admin",
      needs: ["kubernetes"],
    },
    inputs: {
      version: { type: "semver", summary: "Target", required: true },
      word: { type: "string", summary: "", initial: "abc", pattern: "[a-z]+" },
      count: {
        type: "int",
        summary: "",
        initial: 2,
        min: 1,
        max: 9,
        mutable: true,
      },
      flag: { type: "bool", summary: "", initial: false },
      wait: {
        type: "duration",
        summary: "",
        initial: "5m",
        min: "1s",
        max: "1h",
        mutable: true,
      },
      mode: { type: "enum", summary: "", initial: "a", values: ["a", "b"] },
      batch: {
        type: "countOrPercent",
        summary: "",
        initial: "25%",
        mutable: true,
      },
      file: { type: "path", summary: "", required: false },
      one: { type: "node", summary: "" },
      many: { type: "nodes", summary: "" },
      ca: { type: "secret", summary: "", format: "ca-bundle" },
    },
    vars: [
      { name: "long", value: "${{ inputs.version }}-x" },
      { name: "list", value: [1, true, null, "1"] },
    ],
    policy: {
      lock: "cluster",
      deadline: "12h",
      membership: "frozen",
      window: [{
        days: ["tue", "wed"],
        from: "20:00",
        to: "23:30",
        zone: "Europe/Berlin",
      }],
      allow: [
        { rule: "version-path", when: "inputs.flag", reason: "lab" },
        { rule: "image-identity" },
      ],
    },
    groups: {
      all: {
        except: [],
        order: ["name"],
        at: "plan",
        place: { file: "a.yaml", line: 33, column: 3 },
      },
      workers: {
        role: "worker",
        names: ["a", "b"],
        labels: { zone: "1", gpu: "true" },
        where: "node.ready",
        from: "all",
        union: ["all"],
        except: ["all"],
        take: "10%",
        order: ["zoneRoundRobin", "name"],
        at: "entry",
        place: { file: "a.yaml", line: 34, column: 3 },
      },
    },
    outputs: { seen: "${{ size(result.done) }}", text: "done" },
    place: { file: "a.yaml", line: 1, column: 1 },
  });
});
