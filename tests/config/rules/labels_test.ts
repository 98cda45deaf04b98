import assert from "node:assert/strict";
import { domain } from "../../../talos.ts";
import { isLabelKey, labelRules } from "../../../config/rules/labels.ts";
import { testRules } from "./_rules.ts";

testRules("labelRules", labelRules, [
  [
    "takes labels, annotations and taints",
    "machine: {nodeLabels: {a/b: c, d: ~}, nodeAnnotations: {a: 'any text'}, nodeTaints: {a: NoSchedule, b: 'c:NoExecute', d: ':PreferNoSchedule'}}",
    [],
  ],
  ["refuses wrong labels", "machine: {nodeLabels: {-a: b, c: d e}}", [
    'error machine.nodeLabels.-a: Label key "-a" is not valid',
    'error machine.nodeLabels.c: Label value "d e" is not valid',
  ]],
  [
    "refuses wrong and reserved annotations",
    `machine: {nodeAnnotations: {a/b/c: d, ${domain}/owned-labels: a, ${domain}/owned-annotations: a, ${domain}/owned-taints: a}}`,
    [
      'error machine.nodeAnnotations.a/b/c: Annotation key "a/b/c" is not valid',
      ...["labels", "annotations", "taints"].map((what) =>
        `error machine.nodeAnnotations."${domain}/owned-${what}": Annotation "${domain}/owned-${what}" is managed by the node`
      ),
    ],
  ],
  [
    "takes annotations of 256 KiB",
    `machine: {nodeAnnotations: {ab: ${"ü".repeat(131071)}}}`,
    [],
  ],
  [
    "refuses larger ones",
    `machine: {nodeAnnotations: {abc: ${"ü".repeat(131071)}}}`,
    [
      "error machine.nodeAnnotations: Annotations take 262145 bytes, more than the limit of 262144",
    ],
  ],
  [
    "refuses wrong taints",
    "machine: {nodeTaints: {_a: NoSchedule, b: 'c:Never', d: '-e:NoExecute', f: ~}}",
    [
      'error machine.nodeTaints._a: Taint key "_a" is not valid',
      'error machine.nodeTaints.b: Taint "b" has effect "Never", which does not exist',
      'error machine.nodeTaints.d: Taint value "-e" is not valid',
      'error machine.nodeTaints.f: Taint "f" has effect "", which does not exist',
    ],
  ],
]);

for (
  const [text, right] of [
    ["a", true],
    ["A.b-c_d", true],
    ["example.com/a", true],
    ["a".repeat(63), true],
    [`${"a".repeat(253)}/a`, true],
    ["a".repeat(64), false],
    [`${"a".repeat(254)}/a`, false],
    ["", false],
    ["/a", false],
    ["a/", false],
    ["a/b/c", false],
    ["Example.com/a", false],
    ["a..b/c", false],
    ["-a", false],
    ["a_", false],
  ] as const
) {
  Deno.test(`isLabelKey says ${right} of "${text.slice(0, 70)}"`, () => {
    assert.equal(isLabelKey(text), right);
  });
}

testRules("labelRules of values", labelRules, [
  [
    "takes names of up to 63 characters and nothing",
    `machine: {nodeLabels: {a: '', b: a.b, c: ${"a".repeat(63)}}}`,
    [],
  ],
  [
    "refuses others",
    `machine: {nodeLabels: {a: ${"a".repeat(64)}, b: a/b, c: -a, d: a b}}`,
    [
      `error machine.nodeLabels.a: Label value "${
        "a".repeat(64)
      }" is not valid`,
      'error machine.nodeLabels.b: Label value "a/b" is not valid',
      'error machine.nodeLabels.c: Label value "-a" is not valid',
      'error machine.nodeLabels.d: Label value "a b" is not valid',
    ],
  ],
]);
