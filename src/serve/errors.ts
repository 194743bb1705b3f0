/** Errors as OpenAI's API gives them: an object with message, type, param and code, and the status of HTTP. */
import type { FastifyError, FastifyReply } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { z } from "zod";
import { QueueFullError } from "../encoder/batch-queue.js";
import { ArgumentError, ModelError, messageOf } from "../errors.js";

export const errorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
export type ErrorBody = z.infer<typeof errorSchema>;

/** A request that is refused, with the status of its answer. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: { readonly code?: string; readonly param?: string } = {},
  ) {
    super(message);
  }
}

/** Nobody reads the answer; the status appears in metrics and logs only. */
const clientGone = 499;

/** The status of an error's answer. Other errors are the server's own. */
export function statusOf(error: FastifyError | Error): number {
  if (error instanceof RequestError) return error.status;
  if (error instanceof QueueFullError) return 429;
  if (error instanceof ArgumentError || error instanceof ModelError) return 400;
  if (hasZodFastifySchemaValidationErrors(error)) return firstIssue(error).isTooLarge ? 413 : 400;
  if (error.name === "AbortError") return clientGone;
  return "statusCode" in error ? (error.statusCode ?? 500) : 500;
}

function firstIssue(error: Error) {
  if (!hasZodFastifySchemaValidationErrors(error)) return { isTooLarge: false };
  const [{ keyword: code, instancePath, message = "", params }] = error.validation;
  // an array that is too long fits no alternative of a union; the reason is among theirs
  const others = (params.errors ?? []) as readonly (readonly z.core.$ZodIssue[])[];
  const tooLarge = [{ code, message, ...params }, ...others.flat()].find(
    (issue) => issue.code === "too_big" && "origin" in issue && /^(array|string)$/.test(`${issue.origin}`),
  );
  const param = instancePath.slice(1).replaceAll("/", ".");
  const text = tooLarge?.message ?? message;
  return { isTooLarge: tooLarge !== undefined, param, message: param === "" ? text : `${param}: ${text}` };
}

export function errorBody(error: FastifyError | Error): ErrorBody {
  const status = statusOf(error);
  const { message = messageOf(error), param = /^where(?=, )/.exec(message)?.[0] } = firstIssue(error);
  const details = error instanceof RequestError ? error.details : {};
  const shown = status >= 500 && !(error instanceof RequestError) ? "The server failed." : message;
  return errorObject(status, shown, { ...details, param: details.param ?? param });
}

export function errorObject(
  status: number,
  message: string,
  { code, param }: { readonly code?: string; readonly param?: string } = {},
): ErrorBody {
  const type = status >= 500 ? "server_error" : status === 429 ? "rate_limit_error" : "invalid_request_error";
  const usual: Readonly<Record<number, string>> = { 413: "request_too_large", 429: "rate_limit_exceeded" };
  return { error: { message, type, param: param || null, code: code ?? usual[status] ?? null } };
}

/** Aborts when the client closes the connection before it has its answer. */
export function whenGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
