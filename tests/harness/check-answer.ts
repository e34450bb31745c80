import { isDeepStrictEqual } from 'node:util';
import { ErrorBody, type Operation, SandboxError, VersionErrorBody } from '@berth/contract';
import type { z } from 'zod';

/** Throws if an answer is not exactly as the contract declares it: nothing missing, nothing more. */
export function checkAnswer(operation: Operation | undefined, status: number, body: unknown): void {
  const where = `${operation?.id ?? 'undeclared address'} status ${status}`;
  if (operation === undefined || status === 200) {
    requireMatch(operation?.answer ?? ErrorBody, body, where);
    return;
  }
  const forms: z.ZodType[] = operation.errorForm === 'sandbox' ? [ErrorBody, SandboxError] : [ErrorBody];
  if (status === 400) forms.push(VersionErrorBody);
  if (forms.some((form) => matches(form, body))) return;
  throw new Error(`${where}: the error body has no declared form: ${JSON.stringify(body)}`);
}

const matches = (schema: z.ZodType, body: unknown): boolean => {
  const parsed = schema.safeParse(body);
  return parsed.success && isDeepStrictEqual(parsed.data, body);
};

function requireMatch(schema: z.ZodType, body: unknown, where: string): void {
  const parsed = schema.safeParse(body);
  if (!parsed.success)
    throw new Error(
      `${where}: ${JSON.stringify(parsed.error.issues.slice(0, 3))} in ${JSON.stringify(body)?.slice(0, 2000)}`,
    );
  if (!isDeepStrictEqual(parsed.data, body)) {
    throw new Error(
      `${where}: fields that the contract does not declare: ${JSON.stringify(body)} is read as ${JSON.stringify(parsed.data)}`,
    );
  }
}
