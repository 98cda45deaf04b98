import { registryAuth } from "../../../config/documents/registry_auth.ts";
import { testRules } from "./_rules.ts";

testRules(registryAuth, [
  {
    title: "one way of signing in is fine",
    value: { name: "a", username: "u", password: "p", auth: "" },
    problems: [],
  },
  {
    title: "two ways of signing in are one too many",
    value: { name: "a", username: "u", identityToken: "t" },
    problems: [
      'identityToken: "identityToken" is given although "username" is',
    ],
  },
  {
    title: "three ways of signing in are two too many",
    value: { name: "a", username: "u", auth: "x", identityToken: "t" },
    problems: [
      'auth: "auth" is given although "username" is',
      'identityToken: "identityToken" is given although "username" is',
    ],
  },
]);
