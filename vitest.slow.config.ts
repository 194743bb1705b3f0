import { defineConfig } from "vitest/config";

/** The slow end-to-end checks: large tables, kill -9, real benchmark data. */
export default defineConfig({
  test: {
    include: ["test/slow/**/*.test.ts"],
    globalSetup: ["test/setup/build.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
