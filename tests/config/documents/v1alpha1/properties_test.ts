import assert from "node:assert/strict";
import { v1alpha1 } from "../../../../config/documents/v1alpha1/top.ts";
import { fieldsIn, pathsWhere } from "./_fields.ts";

const all = [...fieldsIn(v1alpha1.fields)];

Deno.test("v1alpha1 hides what is secret", () => {
  assert.deepEqual(
    pathsWhere(v1alpha1.fields, ({ secret }) => secret === true),
    [
      "machine.token",
      "machine.ca.key",
      "machine.network.interfaces[].vlans[].vip.equinixMetal.apiToken",
      "machine.network.interfaces[].vlans[].vip.hcloud.apiToken",
      "machine.network.interfaces[].wireguard.privateKey",
      "machine.network.interfaces[].vip.equinixMetal.apiToken",
      "machine.network.interfaces[].vip.hcloud.apiToken",
      "machine.registries.config{}.tls.clientIdentity.key",
      "machine.registries.config{}.auth.password",
      "machine.registries.config{}.auth.auth",
      "machine.registries.config{}.auth.identityToken",
      "machine.systemDiskEncryption.state.keys[].static.passphrase",
      "machine.systemDiskEncryption.ephemeral.keys[].static.passphrase",
      "cluster.secret",
      "cluster.token",
      "cluster.aescbcEncryptionSecret",
      "cluster.secretboxEncryptionSecret",
      "cluster.ca.key",
      "cluster.aggregatorCA.key",
      "cluster.serviceAccount.key",
      "cluster.etcd.ca.key",
    ],
  );
});

Deno.test("v1alpha1 merges seven values in ways of their own", () => {
  const special = all.filter(({ field }) => field.merge !== undefined);
  assert.deepEqual(
    Object.fromEntries(special.map(({ path, field }) => [path, field.merge])),
    {
      "machine.network.interfaces": ["interface", "deviceSelector"],
      "machine.network.interfaces[].vlans": ["vlanId"],
      "machine.registries.config{}.tls.ca": "replace",
      "cluster.network.podSubnets": "replace",
      "cluster.network.serviceSubnets": "replace",
      "cluster.apiServer.admissionControl": ["name"],
      "cluster.apiServer.auditPolicy": "replace",
    },
  );
});

Deno.test("v1alpha1 names what must be given wherever its parent is", () => {
  assert.deepEqual(
    pathsWhere(v1alpha1.fields, ({ required }) => required === true),
    [
      "machine",
      "machine.systemDiskEncryption.state.keys",
      "machine.systemDiskEncryption.ephemeral.keys",
      "machine.logging.destinations[].endpoint",
      "cluster",
      "cluster.controlPlane.endpoint",
      "cluster.apiServer.authorizationConfig[].type",
      "cluster.apiServer.authorizationConfig[].name",
      "cluster.etcd.ca",
      "cluster.inlineManifests[].name",
    ],
  );
});

Deno.test("v1alpha1 says what takes the place of deprecated keys", () => {
  const deprecated = all.filter(({ field }) => field.deprecated !== undefined);
  assert.deepEqual(
    Object.fromEntries(
      deprecated.map(({ path, field }) => [path, field.deprecated]),
    ),
    {
      "persist": "",
      "machine.network.hostname": "HostnameConfig",
      "machine.network.interfaces": "LinkConfig",
      "machine.network.interfaces[].cidr": "addresses",
      "machine.network.interfaces[].vlans[].cidr": "addresses",
      "machine.network.nameservers": "ResolverConfig",
      "machine.network.searchDomains": "ResolverConfig",
      "machine.network.extraHostEntries": "StaticHostConfig",
      "machine.network.disableSearchDomain": "ResolverConfig",
      "machine.disks": "UserVolumeConfig",
      "machine.install.extraKernelArgs": "",
      "machine.install.extensions": "",
      "machine.install.bootloader": "",
      "machine.time": "TimeSyncConfig",
      "machine.registries": "RegistryMirrorConfig",
      "machine.systemDiskEncryption": "VolumeConfig",
      "machine.features.rbac": "",
      "machine.features.stableHostname": "HostnameConfig",
      "machine.features.apidCheckExtKeyUsage": "",
      "cluster.apiServer.disablePodSecurityPolicy": "",
      "cluster.etcd.subnet": "cluster.etcd.advertisedSubnets",
      "cluster.allowSchedulingOnMasters":
        "cluster.allowSchedulingOnControlPlanes",
    },
  );
});

Deno.test("v1alpha1 has bonds with the words and numbers of BondConfig", () => {
  const fields = new Map(all.map(({ path, field }) => [path, field]));
  const at = (key: string) =>
    fields.get(`machine.network.interfaces[].bond.${key}`);
  const [mode, rate, miimon] = ["mode", "lacpRate", "miimon"].map(at);
  assert.deepEqual([mode?.initial, mode?.always], ["balance-rr", true]);
  assert.equal(rate?.shape.shape, "scalar");
  assert.deepEqual(rate.shape.values, ["slow", "fast"]);
  assert.equal(rate.initial, "slow");
  assert.deepEqual(
    [miimon?.summary, miimon?.optional, miimon?.initial],
    ["MII link monitoring interval, in milliseconds", undefined, undefined],
  );
});

Deno.test("v1alpha1 names images of the Kubernetes that new clusters get", () => {
  const image = "registry.k8s.io/kube-apiserver:v1.34.1";
  const field = all.find(({ path }) => path === "cluster.apiServer.image")
    ?.field;
  assert.deepEqual(
    [field?.initial, field?.examples],
    [image, [{ value: image }]],
  );
});
