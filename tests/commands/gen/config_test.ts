import assert from "node:assert/strict";
import { testWithClusters } from "../_gen_config/_cluster.ts";

testWithClusters(
  "gen config --skip-k8s-etcd leaves out Kubernetes, and refuses versions that cannot",
  async ({ gen }) => {
    const flags = "--skip-k8s-etcd --validate error -t worker -o -";
    const { out, status } = await gen(`--os-version v1.14 ${flags}`);
    assert.deepEqual(
      [...out.matchAll(/^(?:kind|cluster): (\S+)/gm)].map(([, name]) => name),
      [
        "{}",
        "DiscoveryServiceConfig",
        "DiscoveryIdentityConfig",
        "UnattendedInstallConfig",
        "ResolverConfig",
        "VolumeConfig",
        "FilesystemTrimConfig",
        "SecurityProfileConfig",
        "HostnameConfig",
      ],
    );
    assert.equal(status, 0);
    const { err, status: refused } = await gen(flags);
    assert.match(
      err,
      /^error: Cannot use --skip-k8s-etcd with version v1\.12: nodes without etcd and Kubernetes need v1\.14 or later\nhint: Add --os-version v1\.14\n/,
    );
    assert.equal(refused, 2);
  },
);

testWithClusters(
  "gen config makes what --output-types says",
  async ({ gen }) => {
    const { out, err, status } = await gen("-t worker -o -");
    assert.deepEqual([err, status], ["generating PKI and tokens\n", 0]);
    assert.match(out, /^ {4}type: worker$/m);
  },
);
