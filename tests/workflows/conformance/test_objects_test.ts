import assert from "node:assert/strict";
import {
  defaultResultsImage,
  imageFor,
  testObjects,
} from "../../../workflows/conformance/test_objects.ts";
import { filesIn } from "../../../workflows/conformance/test_results.ts";

Deno.test("the test pod has the image of the cluster's version, and never runs twice", () => {
  const objects = testObjects({
    focus: "a",
    skip: "b",
    processes: 16,
    image: imageFor("v1.34.1+lab.2"),
    resultsImage: defaultResultsImage,
  }, 3 * 3_600_000);
  assert.deepEqual(objects.map(({ path }) => path.split("/").at(-1)), [
    "namespaces",
    "serviceaccounts",
    "clusterroles",
    "clusterrolebindings",
    "pods",
  ]);
  // deno-lint-ignore no-explicit-any
  const { spec } = objects[4]?.body as any;
  const [runner, results] = spec.containers;
  assert.equal(runner.image, "registry.k8s.io/conformance:v1.34.1");
  assert.equal(spec.restartPolicy, "Never");
  assert.deepEqual(spec.tolerations, [{ operator: "Exists" }]);
  assert.deepEqual(
    runner.env.map(({ name, value }: Record<string, string>) =>
      `${name}=${value}`
    ),
    [
      "E2E_FOCUS=a",
      "E2E_SKIP=b",
      "E2E_PROVIDER=skeleton",
      "E2E_VERBOSITY=4",
      "E2E_USE_GO_RUNNER=true",
      "E2E_EXTRA_GINKGO_ARGS=--procs=16 --timeout=3h0m0s",
    ],
  );
  assert.deepEqual(runner.volumeMounts, results.volumeMounts);
});

Deno.test("test pod: its output is read on any shell", async () => {
  const objects = testObjects({
    focus: "",
    skip: "",
    processes: 1,
    image: "",
    resultsImage: "",
  }, 1_000);
  // deno-lint-ignore no-explicit-any
  const { spec } = objects[4]?.body as any;
  const [command, ...args] = spec.containers[1].command;
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/junit_01.xml`, "<testsuites/>");
    await Deno.writeTextFile(`${folder}/done`, "/tmp/results/e2e.tar.gz");
    const { stdout } = await new Deno.Command(command, { args, cwd: folder })
      .output();
    const files = await filesIn(new TextDecoder().decode(stdout));
    assert.deepEqual([...files], [["junit_01.xml", "<testsuites/>"]]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
