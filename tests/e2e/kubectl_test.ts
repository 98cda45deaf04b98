import assert from "node:assert/strict";
import { findProgram, needs } from "../_needs.ts";
import { type Home, withHome } from "../_osctl.ts";

const program = Deno.env.get("KUBECTL") ?? "kubectl";

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1"}]}
`;

/** Pods that log tests as they run, and end after three seconds or not before they are deleted. */
const testPods = ["3s", "1h"].map((timeout) =>
  `apiVersion: v1
kind: Pod
metadata: {name: tests-${timeout}, namespace: default}
spec:
  containers:
    - name: runner
      image: "runner:1"
      env:
        - {name: E2E_FOCUS, value: all}
        - {name: E2E_EXTRA_GINKGO_ARGS, value: "--timeout=${timeout}"}
`
).join("---\n");

const worker = "os-default-worker-1";

/** Command lines, and what they print. */
const lines: readonly (readonly [line: string, shown: RegExp])[] = [
  ["get nodes", /worker-1 +Ready +<none> +v1/],
  ["get pods -A", /kube-apiserver-\S+ +1\/1 +Running/],
  [`describe node ${worker}`, /KubeletReady[^]*kube-proxy/],
  ["apply -f web.yaml", /web created/],
  ["apply -f web.yaml", /web unchanged/],
  ["apply --server-side --force-conflicts -f web.yaml", /serverside-applied/],
  ["wait --for=condition=Available deploy/web --timeout=20s", /condition met/],
  ["wait --for=condition=Ready pod -l app=web --timeout=20s", /condition met/],
  ["set image deploy/web web=nginx:2", /image updated/],
  ["rollout status deploy/web --timeout=20s", /successfully rolled out/],
  ["logs -n kube-system -l component=kube-scheduler", /is ready/],
  [`cordon ${worker}`, /cordoned/],
  [`drain ${worker} --ignore-daemonsets --timeout=20s`, /(drained|evicted)/],
  [`uncordon ${worker}`, /uncordoned/],
  ["delete -f web.yaml", /deleted/],
  ["get pods -l app=web", /No resources found/],
];

Deno.test({
  name: "kubectl works with the Kubernetes of simulated nodes",
  ...needs({
    name: "kubectl",
    debian: "kubernetes-client",
    brew: "kubernetes-cli",
    isThere: () => findProgram(program) !== undefined,
  }),
  async fn() {
    await withHome(async ({ path, osctl }) => {
      await osctl("cluster create embedded --etcd model --workers 2");
      await osctl(`kubeconfig ${path}/kubeconfig --merge=false`);
      await Deno.writeTextFile(`${path}/web.yaml`, deployment);
      await Deno.writeTextFile(`${path}/tests.yaml`, testPods);
      const kubectl = (line: string) =>
        new Deno.Command(program, {
          args: line.split(" "),
          cwd: path,
          env: { HOME: path, KUBECONFIG: `${path}/kubeconfig` },
          stdout: "piped",
          stderr: "piped",
        });
      const say = async (line: string) => {
        const { stdout, stderr, success } = await kubectl(line).output();
        return (success ? "" : "failed: ") +
          [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes))
            .join("");
      };
      const failed: string[] = [];
      for (const [line, shown] of lines) {
        const deadline = performance.now() + 20_000;
        let said = await say(line);
        // Pods that were deleted go a moment later.
        while (!shown.test(said) && performance.now() < deadline) {
          if (!/\bTerminating\b/.test(said)) break;
          said = await say(line);
        }
        if (!shown.test(said) || said.startsWith("failed: ")) {
          failed.push(`${line}: ${said.slice(-200)}`);
        }
      }
      assert.deepEqual(failed, []);
      await followLogs(kubectl, osctl);
    });
  },
});

/** One log that ends as its pod does, and one whose pod is deleted. */
async function followLogs(
  kubectl: (line: string) => Deno.Command,
  osctl: Home["osctl"],
): Promise<void> {
  await osctl("cluster fault set tests-hang --nodes @workers");
  await kubectl("apply -f tests.yaml").output();
  const ready = "wait --for=condition=Ready --timeout=20s";
  await kubectl(`${ready} pod/tests-3s pod/tests-1h`).output();
  const ending = kubectl("logs -f --tail=1 tests-3s").output();
  const deleted = kubectl("logs -f tests-1h").spawn();
  let log = "";
  for await (
    const part of deleted.stdout.pipeThrough(new TextDecoderStream())
  ) {
    const wasEmpty = log === "";
    log += part;
    if (wasEmpty) void kubectl("delete pod tests-1h --wait=false").output();
  }
  await deleted.stderr.cancel();
  assert.match(log, /^Running Suite: [^]*Will run 3 of 7205 specs\n/);
  assert.doesNotMatch(log, /Ran 3/);
  assert.equal((await deleted.status).code, 0);
  const { stdout, code } = await ending;
  const lines = new TextDecoder().decode(stdout).split("\n");
  assert.deepEqual([code, lines.at(-2)], [
    0,
    "FAIL! -- 2 Passed | 1 Failed | 0 Pending | 7202 Skipped",
  ]);
  assert.doesNotMatch(lines.join("\n"), /^Running Suite/);
}
