/** What Prometheus reads: requests, their time, batches, the queue, tokens. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

/** @param waiting phrases in the queues */
export function createMetrics(waiting: () => number) {
  const registers = [new Registry()];
  const [registry] = registers;
  collectDefaultMetrics({ register: registry });
  // gauges that are named like counters, which promtool refuses
  for (const name of ["handles", "requests", "resources"]) {
    registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }
  const labelNames = ["method", "route", "status"] as const;
  const requests = new Counter({
    name: "pearl_requests_total",
    help: "Answered requests.",
    labelNames,
    registers,
  });
  const seconds = new Histogram({
    name: "pearl_request_duration_seconds",
    help: "Time from a request's first byte to the end of its answer.",
    labelNames: ["route"] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const batches = new Histogram({
    name: "pearl_batch_phrases",
    help: "Phrases that were computed together.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
    registers,
  });
  const tokens = new Counter({ name: "pearl_tokens_total", help: "Tokens of embedded phrases.", registers });
  new Gauge({
    name: "pearl_queue_phrases",
    help: "Phrases that wait for a batch.",
    registers,
    collect() {
      this.set(waiting());
    },
  });
  return {
    registry,
    onRequest: (method: string, route: string, status: number, duration: number): void => {
      requests.inc({ method, route, status });
      seconds.observe({ route }, duration);
    },
    onBatch: (phrases: number): void => batches.observe(phrases),
    onTokens: (count: number): void => tokens.inc(count),
  };
}
