import { stringify } from "yaml";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { ConfigError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import { loadRunbook } from "../../workflows/runbooks/language/loading/load.ts";
import { hashRunbook } from "../../workflows/runbooks/plan/plan_facts.ts";
import { argoWorkflow } from "../../workflows/runbooks/fleet/argo.ts";
import { readFleet } from "../../workflows/runbooks/fleet/fleet.ts";
import { collectApprovals } from "../../workflows/runbooks/fleet/fleet_rules.ts";
import { type Command, lines, type Values, word } from "../_kit/mod.ts";
import { release } from "../../release.ts";
import { requiredChoice, requiredText } from "../_kit/inputs.ts";
import { loadOptions } from "../_runbook/load_options.ts";

const inputs = {
  runbook: word("file, or builtin:<name>", { complete: "runbooks" }),
  to: requiredChoice("workflow engine", ["argo"]),
  clusters: requiredText("fleet file", { complete: "files" }),
};

export const command = {
  summary: "Render a fleet as a workflow",
  description:
    `Writes a manifest for Argo Workflows on a management cluster: one pod for each cluster runs the runbook, wave after
wave, and resumes it if the pod is lost. Nothing is sent.`,
  inputs,
  examples: [
    "runbook render --to argo --clusters fleet.yaml rolling-upgrade",
  ],
  view: lines((manifest) => yamlText(manifest).trimEnd()),
  async *run(context) {
    const { runbook: source, clusters: path } = context.input;
    const loaded = await loadRunbook(source, loadOptions(context));
    const { runbook, files: [own] } = loaded;
    if (runbook.per === "node") {
      throw new ConfigError(
        `Cannot render "${source}": it works on one node and can only be used in other runbooks`,
        { hint: "Use it in a forEach of another runbook" },
      );
    }
    const expected = "a file with clusters";
    const text = await readBoundedText({ path, limitMib: 4, expected });
    if (text === undefined) throw new ConfigError(`There is no file "${path}"`);
    yield argoWorkflow(readFleet({ path, text }, loaded), {
      name: runbook.name,
      source: own?.path ?? source,
      ir: await hashRunbook(runbook),
      client: release.tag,
      approvals: collectApprovals(runbook),
    });
  },
} satisfies Command<Json, Values<typeof inputs>>;

/** Kubernetes parses YAML 1.1, in which more words are booleans. */
function yamlText(manifest: Json): string {
  return stringify(manifest, {
    version: "1.1",
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}
