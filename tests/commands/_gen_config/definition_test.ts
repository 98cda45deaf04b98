import assert from "node:assert/strict";
import { plainSchematic } from "../../../config/releases.ts";
import { parseOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { needs, openssl3 } from "../../_needs.ts";
import { openssl } from "../../pki/_openssl.ts";
import { namesIn, readMode } from "../config/_file.ts";
import { changes, testWithClusters } from "./_cluster.ts";
import { listTargets } from "../../../commands/_gen_config/definition.ts";

const files = ["controlplane.yaml", "worker.yaml", "osconfig"];

testWithClusters(
  "gen config writes three files, all mode 600, and says so",
  async ({ dir, gen }) => {
    const { out, err, status } = await gen("-o DIR/new/c1");
    assert.deepEqual([out, status], ["", 0]);
    const created = files.map((name) => `Created ${dir}/new/c1/${name}\n`);
    assert.equal(
      err,
      `generating PKI and tokens
${
        created.join("")
      }osconfig has no endpoints yet; if 10.5.0.2 is a control plane: osctl config endpoint 10.5.0.2
`,
    );
    assert.deepEqual(await namesIn(`${dir}/new/c1`), files.toSorted());
    for (const name of files) {
      assert.equal(await readMode(`${dir}/new/c1/${name}`), 0o600, name);
    }
    assert.equal(await readMode(`${dir}/new/c1`), 0o700);
  },
);

testWithClusters(
  "configurations of the same secrets are the same on every run",
  async ({ gen, read }) => {
    await gen("-o DIR/a");
    await gen("-o DIR/b");
    for (const name of ["controlplane.yaml", "worker.yaml"]) {
      assert.equal(await read(`a/${name}`), await read(`b/${name}`));
    }
  },
);

testWithClusters(
  "openssl verifies the certificate of osconfig for a client",
  async ({ gen, read }) => {
    await gen("-t osconfig -o DIR/osconfig");
    const { contexts } = await parseOsconfig(await read("osconfig"), "f");
    const { ca = "", crt = "" } = contexts.get("c1") ?? {};
    const at = Math.floor(Date.parse("2026-01-02T04:00:00Z") / 1000);
    const line = `verify -purpose sslclient -attime ${at} -CAfile ca crt`;
    const { text, problem } = await openssl(line.split(" "), {
      ca: Uint8Array.fromBase64(ca),
      crt: Uint8Array.fromBase64(crt),
    });
    assert.equal(text, "crt: OK\n", problem);
  },
  needs(openssl3),
);

testWithClusters(
  "without --with-secrets a cluster of its own is made",
  async ({ osctl }) => {
    const line =
      "gen config c1 https://10.5.0.2:6443 --os-version v1.6 --kubernetes-version 1.29.0 --with-docs=false --with-examples=false -t worker -o -";
    const [first, second] = [await osctl(line), await osctl(line)];
    assert.equal(first.err, "generating PKI and tokens\n");
    const id = /^ {4}id: (\S{44})$/m;
    assert.notEqual(id.exec(first.out)?.[1], id.exec(second.out)?.[1]);
  },
);

const ofControlPlane: readonly (readonly [flags: string, changed: string[]])[] =
  [
    ["--additional-sans a.b,1.2.3.4", [
      "-certSANs: []",
      "+certSANs:",
      "+- a.b",
      "+- a.b",
      "+- 1.2.3.4",
      "+- 1.2.3.4",
      "+certSANs:",
    ]],
    ["--dns-domain d.e", ["-dnsDomain: cluster.local", "+dnsDomain: d.e"]],
    ["--install-disk /dev/vda", ["-disk: /dev/sda", "+disk: /dev/vda"]],
    ["--install-image x/y:z", [
      "-image: ghcr.io/siderolabs/installer:v1.12.11",
      "+image: x/y:z",
    ]],
    ["--kubernetes-version v1.31.0", [
      "-image: ghcr.io/siderolabs/kubelet:v1.34.1",
      "-image: registry.k8s.io/kube-apiserver:v1.34.1",
      "-image: registry.k8s.io/kube-controller-manager:v1.34.1",
      "-image: registry.k8s.io/kube-proxy:v1.34.1",
      "-image: registry.k8s.io/kube-scheduler:v1.34.1",
      "+image: ghcr.io/siderolabs/kubelet:v1.31.0",
      "+image: registry.k8s.io/kube-apiserver:v1.31.0",
      "+image: registry.k8s.io/kube-controller-manager:v1.31.0",
      "+image: registry.k8s.io/kube-proxy:v1.31.0",
      "+image: registry.k8s.io/kube-scheduler:v1.31.0",
    ]],
    ["--os-version v1.11", [
      "-grubUseUKICmdline: true",
      "----",
      "-apiVersion: v1alpha1",
      "-kind: HostnameConfig",
      "-auto: stable",
      "+rbac: true",
      "+stableHostname: true",
      "+apidCheckExtKeyUsage: true",
      "+certSANs:",
      "+- 10.5.0.2",
      "+disablePodSecurityPolicy: true",
      "-image: ghcr.io/siderolabs/installer:v1.12.11",
      "+image: ghcr.io/siderolabs/installer:v1.11.6",
    ]],
    ["--persist=false", ["-persist: true", "+persist: false"]],
    ["-p=false", ["-persist: true", "+persist: false"]],
    ["--registry-mirror docker.io=http://10.1.1.1:5000", [
      "+---",
      "+apiVersion: v1alpha1",
      "+kind: RegistryMirrorConfig",
      "+name: docker.io",
      "+endpoints:",
      "+- url: http://10.1.1.1:5000",
    ]],
    ["--with-cluster-discovery=false", ["-enabled: true", "+enabled: false"]],
    ["--with-kubespan", [
      "-network: {}",
      "+network:",
      "+kubespan:",
      "+enabled: true",
    ]],
    ["--version v1alpha1", []],
  ];

for (const [flags, changed] of ofControlPlane) {
  testWithClusters(`gen config takes ${flags}`, async ({ gen }) => {
    const before = await gen("-t controlplane -o -");
    const { out, err } = await gen(`-t controlplane -o - ${flags}`);
    assert.deepEqual(
      changes(before.out, out).toSorted(),
      changed.toSorted(),
      err,
    );
  });
}

testWithClusters("TAG is the tag of the installer", async ({ gen }) => {
  const images = {
    "v1.13.2": "ghcr.io/siderolabs/installer:v1.13.2",
    "v1.14.2": `factory.talos.dev/metal-installer/${plainSchematic}:v1.14.2`,
  };
  for (const [TAG, image] of Object.entries(images)) {
    const { out } = await gen("-t worker -o -", { env: { TAG } });
    assert.ok(out.includes(`image: ${image}\n`), out);
  }
  const env = { TAG: "v1.13.2" };
  const named = await gen("-t worker -o - --install-image x/y:z", { env });
  assert.match(named.out, /image: x\/y:z\n/);
});

const wrong: readonly (readonly [line: string, reported: RegExp])[] = [
  [
    "--with-secrets DIR/none",
    /^error: Cannot read "\S+\/none": no such file\n/,
  ],
  [
    "--with-secrets DIR/controlplane.txt",
    /^error: Cannot use secrets bundle "\S+":/,
  ],
  [
    "--os-version v1.99",
    /^error: OS version "v1.99" is not known to this osctl: the newest known is v1.14\nhint: Use v1.14/,
  ],
  ["--version v2", /^error: .*--version.*v1alpha1/],
  [
    "--registry-mirror foo",
    /^error: .*--registry-mirror.*must be <registry host>=<mirror URL>, such as docker.io=/,
  ],
  [
    "--kubernetes-version latest",
    /^error: .*--kubernetes-version.*such as 1.34.1/,
  ],
  ["-t init", /^error: .*--output-types.*controlplane, worker, osconfig/],
  ["-o -", /^error: Only one type of file can be written to standard output\n/],
  [
    "--output-dir d",
    /^error: Flags --output and --output-dir cannot be combined/,
  ],
  [
    "--config-patch @DIR/none",
    /^error: Cannot read "\S+\/none": no such file\n/,
  ],
  [
    '--config-patch {"machine":{"foo":1}}',
    /^error: Cannot use patch "patch 1" at .*foo/,
  ],
];

for (const [flags, reported] of wrong) {
  testWithClusters(
    `gen config refuses ${flags}`,
    async ({ dir, gen, write }) => {
      await write("controlplane.txt", "machine: {}\n");
      const { out, err, status } = await gen(`-o DIR/new ${flags}`);
      assert.deepEqual([out, status], ["", 2]);
      assert.match(err, reported);
      assert.deepEqual(await namesIn(dir), [
        "alpha.yaml",
        "beta.yaml",
        "controlplane.txt",
      ]);
    },
  );
}

testWithClusters(
  "gen config names the endpoint that is meant",
  async ({ osctl }) => {
    const { err, status } = await osctl("gen config c1 10.5.0.2");
    assert.equal(status, 2);
    assert.equal(
      err,
      `error: Cannot use cluster endpoint "10.5.0.2": it has no scheme
hint: Try "https://10.5.0.2:6443"
`,
    );
  },
);

testWithClusters(
  "the file the secrets are read from is never replaced",
  async ({ gen, read }) => {
    const before = await read("alpha.yaml");
    const { err, status } = await gen("-t worker -o DIR/./alpha.yaml --force");
    assert.equal(status, 2);
    assert.match(
      err,
      /^error: Cannot write "\S+\/alpha.yaml": it is the file given with --with-secrets\nhint: /,
    );
    assert.equal(await read("alpha.yaml"), before);
  },
);

const all = ["controlplane", "worker", "osconfig"] as const;
const none = { output: undefined, outputDir: undefined };

function paths(
  given: Partial<Parameters<typeof listTargets>[0]>,
): readonly (string | undefined)[] {
  const targets = listTargets({ ...none, outputTypes: all, ...given }, "/work");
  return targets.map(({ path }) => path);
}

Deno.test("files go to the working directory", () => {
  const here = [
    "/work/controlplane.yaml",
    "/work/worker.yaml",
    "/work/osconfig",
  ];
  assert.deepEqual(paths({}), here);
  assert.deepEqual(paths({ output: "", outputDir: "" }), here);
  assert.deepEqual(paths({ outputTypes: ["worker"] }), ["/work/worker.yaml"]);
});

Deno.test("several files go to the directory given", () => {
  assert.deepEqual(
    paths({ output: "d/", outputTypes: ["worker", "osconfig"] }),
    ["d/worker.yaml", "d/osconfig"],
  );
  assert.deepEqual(
    paths({ output: "/", outputTypes: ["worker", "osconfig"] }),
    ["/worker.yaml", "/osconfig"],
  );
});

const plain = `factory.talos.dev/metal-installer/${plainSchematic}`;

/** Kubernetes and installer by version of the operating system. */
const byRelease = {
  "v1.8": ["1.31.4", "ghcr.io/siderolabs/installer:v1.8.4"],
  "v1.9": ["1.32.4", "ghcr.io/siderolabs/installer:v1.9.6"],
  "v1.10": ["1.33.6", "ghcr.io/siderolabs/installer:v1.10.9"],
  "v1.11": ["1.34.1", "ghcr.io/siderolabs/installer:v1.11.6"],
  "v1.12": ["1.35.4", "ghcr.io/siderolabs/installer:v1.12.11"],
  "v1.13": ["1.36.3", "ghcr.io/siderolabs/installer:v1.13.9"],
  "v1.14": ["1.37.0-rc.0", `${plain}:v1.14.0-rc.1`],
} as const;

for (const [version, [kubernetes, installer]] of Object.entries(byRelease)) {
  testWithClusters(
    `gen config --os-version ${version} has the defaults of that release`,
    async ({ gen }) => {
      const { out, err, status } = await gen(
        `-t worker -o - --os-version ${version} --validate=error`,
      );
      assert.equal(status, 0, err);
      const images = [...out.matchAll(/^ +image: (\S+)$/gm)]
        .map(([, image]) => image);
      const kubelet = [...out.matchAll(/^ *image: (\S+kubelet:\S+)$/gm)]
        .map(([, image]) => image);
      assert.deepEqual(kubelet, [`ghcr.io/siderolabs/kubelet:v${kubernetes}`]);
      assert.ok(images.includes(installer), images.join(" "));
    },
  );
}

testWithClusters(
  "gen config reports Kubernetes that the release does not support",
  async ({ gen }) => {
    const line =
      "-t worker -o - --os-version v1.8 --kubernetes-version 1.34.1 --validate";
    const why =
      "machine.kubelet.image: Kubernetes v1.34.1 is too new for v1.8, which supports v1.26 to v1.31";
    const warned = await gen(`${line} warn`);
    assert.ok(
      warned.err.includes(`warning: worker: v1alpha1: ${why}\n`),
      warned.err,
    );
    assert.equal(warned.status, 0);
    const refused = await gen(`${line} error`);
    assert.ok(refused.err.includes(why), refused.err);
    assert.deepEqual([refused.out, refused.status], ["", 2]);
  },
);
