import { defineConfig } from "vitest/config";

const full = "test/**/*.full.test.ts";

/** `NAME.test.ts` is quick; tests that take over half a second or start a process are in `NAME.full.test.ts` beside it. */
export default defineConfig({
  test: {
    exclude: ["test/slow/**"],
    // Workers load compiled code, so the build runs first.
    globalSetup: ["test/setup/temporary-folder.ts", "test/setup/build.ts"],
    pool: "forks",
    // many tests wait for a program of their own: two files at a time keep two cores busy
    maxWorkers: 2,
    // files share a process, and with it what is loaded: a test undoes what it changes in the environment
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "quick", include: ["test/**/*.test.ts"], exclude: [full] } },
      { extends: true, test: { name: "full", include: [full] } },
    ],
  },
});
