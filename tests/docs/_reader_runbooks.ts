/** Runbooks that the reader of a page has. */

/** A runbook of the reader. */
const runbook = `apiVersion: osctl/v1
kind: Runbook
name: mine
title: Cordon and uncordon workers
inputs: { pause: { type: duration, default: 0s } }
groups: { workers: { role: worker } }
steps:
  - { id: healthy, gate: etcd.quorum, within: 1m }
  - id: workers
    forEach: workers
    steps: [{ id: cordon, run: node.cordon }]
    always: [{ id: uncordon, run: node.uncordon }]
`;

/** Their files, and values for one. */
export const mine = {
  "mine.runbook.yaml": runbook,
  "upgrade.runbook.yaml": runbook,
  "values.yaml": "pause: 1s\n",
  "ask.runbook.yaml": runbook.replace(
    /steps:\n/,
    '$&  - { id: go, approve: { tag: start, message: "Go?" } }\n',
  ),
};
