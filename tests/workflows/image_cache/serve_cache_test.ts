import assert from "node:assert/strict";
import { serveCache } from "../../../workflows/image_cache/serve_cache.ts";
import { withFolder } from "../../_folder.ts";

const digest =
  "sha256:9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0";

const files = {
  // SHA-256 of "aaa".
  "blob/sha256-9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0":
    "aaa",
  "manifests/docker.io/library/app/reference/v1": "{}",
  "manifests/127.0.0.1_5000_/team/app/reference/v1": '{"manifests":[]}',
  "manifests/docker.io/library/app/digest/sha256-9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0":
    "bbb",
  "secret": "secret",
};

Deno.test("a served cache answers as a registry that can only be read", async () => {
  await withFolder(files, async (folder) => {
    const answered: string[] = [];
    await using server = await serveCache({
      folder,
      host: "127.0.0.1",
      port: 0,
      answered: ({ method, path }, status) =>
        answered.push(`${status} ${method} ${path}`),
    });
    const ask = async (path: string, init: RequestInit = {}) => {
      const url = `http://127.0.0.1:${server.port}${path}`;
      const response = await fetch(url, init);
      const { headers } = response;
      return [
        response.status,
        await response.text(),
        headers.get("content-length"),
        headers.get("content-type"),
        headers.get("content-range"),
      ];
    };
    const bytes = "application/octet-stream";
    const kind = "application/vnd.oci.image";
    const range = (value: string) => ({ headers: { range: value } });
    const json = "application/json";
    for (
      const [path, init, expected] of [
        ["/v2/", {}, [200, "{}", "2", json, null]],
        ["/healthz", {}, [200, "{}", "2", json, null]],
        [`/v2/a/blobs/${digest}`, {}, [200, "aaa", "3", bytes, null]],
        [`/v2/a/blobs/${digest}`, { method: "HEAD" }, [
          200,
          "",
          "3",
          bytes,
          null,
        ]],
        [
          `/v2/a/blobs/${digest}`,
          range("bytes=1-"),
          [206, "aa", "2", bytes, "bytes 1-2/3"],
        ],
        [
          `/v2/a/blobs/${digest}`,
          range("bytes=0-0"),
          [206, "a", "1", bytes, "bytes 0-0/3"],
        ],
        [
          `/v2/a/blobs/${digest}`,
          range("bytes=3-"),
          [416, "", "0", null, "bytes */3"],
        ],
        [
          "/v2/library/app/manifests/v1?ns=docker.io",
          {},
          [200, "{}", "2", `${kind}.manifest.v1+json`, null],
        ],
        [
          "/v2/team/app/manifests/v1?ns=127.0.0.1:5000",
          { method: "HEAD" },
          [200, "", "16", `${kind}.index.v1+json`, null],
        ],
        [
          "/v2/team/app/manifests/v1",
          {},
          [200, '{"manifests":[]}', "16", `${kind}.index.v1+json`, null],
        ],
      ] as const
    ) assert.deepEqual(await ask(path, init), expected, path);
    for (
      const [path, status, code] of [
        ["/v2/team/app/manifests/v1?ns=docker.io", 404, "MANIFEST_UNKNOWN"],
        ["/v2/team/app/manifests/v1?ns=../..", 404, "MANIFEST_UNKNOWN"],
        ["/v2/team/app/manifests/v2", 404, "MANIFEST_UNKNOWN"],
        ["/v2/a/blobs/v1", 404, "BLOB_UNKNOWN"],
        ["/v2/..%2f../blobs/secret", 404, "NAME_INVALID"],
        ["/v2/a/tags/list", 404, "NAME_INVALID"],
        ["/secret", 404, "NAME_INVALID"],
        [`/v2/library/app/manifests/${digest}`, 500, "DIGEST_INVALID"],
      ] as const
    ) {
      const [found, text] = await ask(path);
      const body = JSON.stringify({ errors: [{ code }] });
      assert.deepEqual([found, text], [status, body], path);
    }
    for (const method of ["PUT", "POST", "PATCH", "DELETE"]) {
      const [status] = await ask("/v2/a/blobs/uploads/", { method });
      assert.equal(status, 405);
    }
    assert.equal(answered[0], "200 GET /v2/");
    assert.equal(answered.at(-1), "405 DELETE /v2/a/blobs/uploads/");
  });
});
