import {
  filesystemScrub,
  filesystemTrim,
} from "../../../../config/documents/storage/maintenance.ts";
import { testRules } from "../_rules.ts";

testRules(filesystemTrim, [
  { title: "takes any time", value: { interval: "1s" }, problems: [] },
  {
    title: "refuses a negative one",
    value: { interval: "-1s" },
    problems: ['interval: Time "-1s" is negative'],
  },
]);

testRules(filesystemScrub, [
  { title: "takes ten seconds", value: { interval: "10s" }, problems: [] },
  {
    title: "refuses less",
    value: { interval: "9s" },
    problems: ['interval: Interval "9s" is shorter than 10s'],
  },
]);
