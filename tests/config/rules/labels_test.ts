import { domain } from "../../../dialect.ts";
import { labelRules } from "../../../config/rules/labels.ts";
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
        `error machine.nodeAnnotations."${domain}/owned-${what}": Annotation "${domain}/owned-${what}" belongs to the node`
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
      "error machine.nodeAnnotations: Annotations take 262145 bytes, more than the 262144 there may be",
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
