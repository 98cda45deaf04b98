import assert from "node:assert/strict";
import { withHome } from "../_osctl.ts";
import { works } from "./_osctl.ts";

const program = Deno.env.get("KUBECTL") ?? "kubectl";

const isAbsent = !works(program, "version", "--client");

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
  ["logs -n kube-system -l component=kube-scheduler", /is ready/],
  [`cordon ${worker}`, /cordoned/],
  [`drain ${worker} --ignore-daemonsets --timeout=20s`, /(drained|evicted)/],
  [`uncordon ${worker}`, /uncordoned/],
  ["delete -f web.yaml", /deleted/],
  ["get pods -l app=web", /No resources found/],
];

Deno.test({
  name: "kubectl works with the Kubernetes of simulated nodes",
  ignore: isAbsent,
  async fn() {
    await withHome(async ({ path, osctl }) => {
      await osctl("cluster create embedded --etcd model --workers 2");
      await osctl(`kubeconfig ${path}/kubeconfig --merge=false`);
      await Deno.writeTextFile(`${path}/web.yaml`, deployment);
      const failed: string[] = [];
      for (const [line, shown] of lines) {
        const { stdout, stderr, success } = await new Deno.Command(program, {
          args: line.split(" "),
          cwd: path,
          env: { HOME: path, KUBECONFIG: `${path}/kubeconfig` },
        }).output();
        const said = [stdout, stderr].map((bytes) =>
          new TextDecoder().decode(bytes)
        ).join("");
        if (!success || !shown.test(said)) {
          failed.push(`${line}: ${said.slice(-200)}`);
        }
      }
      assert.deepEqual(failed, []);
    });
  },
});
