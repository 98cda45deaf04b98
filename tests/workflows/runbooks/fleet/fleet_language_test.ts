import assert from "node:assert/strict";
import { fleetProblems, head, small } from "./_fleets.ts";

Deno.test("a fleet needs an image and waves, and each wave a name and clusters", async () => {
  assert.deepEqual(await fleetProblems(head), [
    'f.yaml:1:1: This fleet has no "image" (Give an image such as registry.example/osctl:1.4.0)',
    'f.yaml:1:1: This fleet has no "waves" (Give a list of waves)',
  ]);
  assert.deepEqual(
    await fleetProblems(`${head}image: a\nwaves: [{ clusters: [] }]\n`),
    [
      'f.yaml:4:9: This wave has no "name" (Give a name of lowercase letters, digits and dashes such as prod-eu-1)',
      "f.yaml:4:21: This list is empty (Give a name of lowercase letters, digits and dashes such as prod-eu-1)",
    ],
  );
});

Deno.test("every field of a fleet is checked, and keys that are not known are reported with what was meant", async () => {
  assert.deepEqual(
    await fleetProblems(`apiVersion: osctl/v2
kind: Fleed
name: No Name
image: "not an image"
waves: [{ name: a, clusters: [Lab], approve: maybe }]
yes: [no!]
parallel: 0
deadline: 48
grace: soon
volums: {}
volumes: { state: A }
`),
    [
      'f.yaml:1:13: "osctl/v2" is not one of the allowed values (Did you mean "osctl/v1"?)',
      'f.yaml:2:7: "Fleed" is not one of the allowed values (Did you mean "Fleet"?)',
      'f.yaml:3:7: "No Name" is not a name of lowercase letters, digits and dashes (Give a name of lowercase letters, digits and dashes such as prod-eu-1)',
      'f.yaml:4:8: "not an image" is not an image (Give an image such as registry.example/osctl:1.4.0)',
      'f.yaml:5:31: "Lab" is not a name of lowercase letters, digits and dashes (Give a name of lowercase letters, digits and dashes such as prod-eu-1)',
      'f.yaml:5:46: "maybe" is neither true nor false (Give true or false)',
      'f.yaml:6:7: "no!" is not a tag of letters, digits and dashes (Give a tag such as start, or "*" for all)',
      'f.yaml:7:11: "0" is not a whole number from 1 (Give a whole number from 1)',
      "f.yaml:8:11: 48 has no unit (Give a duration such as 90s or 1h30m)",
      'f.yaml:9:8: "soon" is not a duration (Give a duration such as 90s or 1h30m)',
      'f.yaml:10:1: Unknown key "volums" (Did you mean "volumes"?)',
      'f.yaml:11:19: "A" is not a name of lowercase letters, digits and dashes (Give a name of lowercase letters, digits and dashes such as prod-eu-1)',
    ],
  );
});

Deno.test("a star approves all that loses no data", async () => {
  assert.deepEqual(await fleetProblems(`${small}yes: "*"\n`), []);
});
