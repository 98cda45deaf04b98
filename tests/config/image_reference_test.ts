import assert from "node:assert/strict";
import { fullImageName } from "../../config/image_reference.ts";

Deno.test("image names are written in full as container runtimes list them", () => {
  const cases = [
    ["nginx", "docker.io/library/nginx:latest"],
    ["nginx:1.27", "docker.io/library/nginx:1.27"],
    ["grafana/grafana", "docker.io/grafana/grafana:latest"],
    ["docker.io/nginx", "docker.io/library/nginx:latest"],
    ["localhost/a", "localhost/a:latest"],
    ["10.0.0.1:5000/a/b:v1", "10.0.0.1:5000/a/b:v1"],
    ["registry.k8s.io/pause:3.10.1", "registry.k8s.io/pause:3.10.1"],
    ["quay.io/a/b@sha256:00", "quay.io/a/b@sha256:00"],
    ["nginx:1.27@sha256:00", "docker.io/library/nginx:1.27@sha256:00"],
  ] as const;
  for (const [given, full] of cases) assert.equal(fullImageName(given), full);
});
