import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { getJobExecution } from './operations/job-executions.ts';
import { pathParameters, pathParams } from './path-params.ts';

test('parameters are found in the order of the path', () => {
  expect(pathParameters('/vpcs/{vpcName}/egressgateways/{gatewayName}')).toEqual(['vpcName', 'gatewayName']);
});

test('a handler knows the parameters of its path by name', () => {
  expectTypeOf<z.infer<typeof getJobExecution.params>>().toEqualTypeOf<Record<'jobId' | 'executionId', string>>();
});

test('parameters are bounded text and never empty', () => {
  const params = pathParams('/jobs/{jobId}');
  expect(params.safeParse({ jobId: 'a' }).success).toBe(true);
  expect(params.safeParse({ jobId: '' }).success).toBe(false);
  expect(params.safeParse({ jobId: 'a'.repeat(257) }).success).toBe(false);
});
