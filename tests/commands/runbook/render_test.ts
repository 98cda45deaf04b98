import assert from "node:assert/strict";
import { parse } from "yaml";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";
import { quick, withRunHome } from "./_home.ts";
import { argoFaults } from "../../workflows/runbooks/fleet/_argo_schema.ts";

const fleet = `apiVersion: osctl/v1
kind: Fleet
image: registry.example/osctl:1.4.0
waves:
  - { name: canary, clusters: [lab-1] }
  - { name: rest, clusters: [prod-1, prod-2] }
inputs: { version: v1.14.1, workerBatch: 2 }
yes: [start, canary]
`;

/** Renders with files in a folder, whose name is removed from what comes back. */
async function render(
  files: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<{
  readonly out: string;
  readonly err: string;
  readonly status: number;
}> {
  let result = { out: "", err: "", status: -1 };
  await withFolder(files, async (folder) => {
    const named = words.map((word) =>
      word.endsWith(".yaml") ? `${folder}/${word}` : word
    );
    const argv = ["runbook", "render", "--to", "argo", ...named];
    const { out, err, status } = await run(argv);
    result = { out, err: err.replaceAll(`${folder}/`, ""), status };
  });
  return result;
}

Deno.test("runbook render writes a workflow for the clusters of a fleet", async () => {
  const words = ["--clusters", "fleet.yaml", "rolling-upgrade"];
  const { out, err, status } = await render({ "fleet.yaml": fleet }, words);
  assert.deepEqual([err, status], ["", 0]);
  const manifest = parse(out);
  assert.deepEqual(argoFaults(manifest), []);
  assert.match(
    manifest.metadata.annotations["osctl.dev/ir-sha256"],
    /^[0-9a-f]{64}$/,
  );
  assert.equal(
    manifest.metadata.annotations["osctl.dev/approvals-valid-for"],
    undefined,
  );
  assert.deepEqual(manifest.spec.arguments.parameters.slice(0, 2), [
    { name: "version", value: "v1.14.1" },
    { name: "workerBatch", value: "2" },
  ]);
  const json = await render({ "fleet.yaml": fleet }, [...words, "-o", "json"]);
  assert.deepEqual(JSON.parse(json.out), manifest);
});

Deno.test("runbook render tells what is wrong with a fleet, and what cannot be rendered", async () => {
  const bad = fleet.replace("version:", "verson:").replace("start", "strt");
  const words = ["--clusters", "fleet.yaml", "rolling-upgrade"];
  assert.deepEqual(await render({ "fleet.yaml": bad }, words), {
    out: "",
    err: `error: Cannot use fleet "fleet.yaml":
  fleet.yaml:7:1: Input "version" of the runbook is missing (Give a version such as v1.13.4)
  fleet.yaml:7:11: There is no input "verson" (Did you mean "version"?)
  fleet.yaml:8:7: The runbook asks for no approval "strt" (Did you mean "start"?)
`,
    status: 2,
  });
  const broken = await render({ "fleet.yaml": "a: [" }, words);
  assert.match(broken.err, /fleet\.yaml:1:4: Cannot read it: \[ is not closed/);
  const gone = await render({}, words);
  assert.match(gone.err, /There is no file "fleet\.yaml"/);
  const part = await render({ "fleet.yaml": fleet }, [
    "--clusters",
    "fleet.yaml",
    "builtin:node-upgrade",
  ]);
  assert.match(
    part.err,
    /it works on one node and can only be used in other runbooks/,
  );
  assert.deepEqual([broken.status, gone.status, part.status], [2, 2, 2]);
});

Deno.test("the arguments of a pod begin a run and resumes it, and what the report is reported shows it", async () => {
  await withRunHome(async ({ osctl, write, home }) => {
    const file = await write(quick);
    const fleetFile = await write(
      fleet.replace(/inputs[^]*$/, "volumes: { runbooks: mine }\n"),
      "fleet.yaml",
    );
    const argv = ["--to", "argo", "--clusters", fleetFile, file];
    const { out, err } = await osctl(["runbook", "render", ...argv]);
    const { spec } = parse(out);
    /** The command of a pod, where the folders of its volumes are. */
    const fleetPod = (name: string, state: string): readonly string[] => {
      const { container: { command, args } } = spec.templates.find((
        one: { readonly name: string },
      ) => one.name === name);
      return [...command.slice(1), ...args].map((word: string) =>
        word.replaceAll("{{workflow.uid}}", "8f14e45f")
          .replaceAll("{{inputs.parameters.cluster}}", "lab-1")
          .replace("=/state", `=${state}`).replace("=/runbooks", `=${home}`)
      );
    };
    const pod = fleetPod("cluster", `${home}/fleet/lab-1`);
    const first = await osctl(pod);
    assert.equal(first.status, 76, err + first.err);
    const report = fleetPod("report", `${home}/fleet`);
    assert.equal((await osctl(report)).status, 76);
    const second = await osctl([...pod, "--yes"]);
    assert.equal(second.status, 0, second.err);
    const reported = await osctl(report);
    assert.equal(reported.status, 0, reported.err);
    assert.match(reported.out, /^lab-1 +quick +\S+ +succeeded +0 /m);
  });
});
