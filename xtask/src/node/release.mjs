// Trunk's hook after a build: what makes a page one to publish. A page that is served for
// development stays as it is.
import { writePolicy } from "./policy.mjs";
import { split } from "./split.mjs";

const { TRUNK_PROFILE, TRUNK_STAGING_DIR } = process.env;
if (TRUNK_PROFILE === "release") {
  await split(TRUNK_STAGING_DIR);
  writePolicy(TRUNK_STAGING_DIR);
}
