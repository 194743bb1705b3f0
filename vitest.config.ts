import { defineConfig } from "vitest/config";

/** The quick suite: everything but test/slow. Workers load compiled code, so the build runs first. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/slow/**"],
    globalSetup: ["test/setup/temporary-folder.ts", "test/setup/build.ts"],
    pool: "forks",
    // many tests wait for a program of their own: two files at a time keep two cores busy
    maxWorkers: 2,
    // files share a process, and with it what is loaded: a test undoes what it changes in the environment
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
