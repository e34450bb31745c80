import * as z from 'zod/mini';
import { HealthShape, ReloadShape, StatsShape, WelcomeShape } from '../answers.ts';
import { UpgradeRequest } from '../system.ts';
import { json, operationWithTag } from './operation.ts';

const operation = operationWithTag('System');

const welcome = operation({
  summary: 'Says what this is.',
  answer: json(WelcomeShape),
  statuses: [],
});

export const systemOperations = {
  health: operation({
    summary: 'Says that the guest answers, and which.',
    answer: json(HealthShape),
    statuses: [],
  }),
  stats: operation({ summary: 'Memory, CPU, processes and disk.', answer: json(StatsShape), statuses: [] }),
  upgrade: operation({
    summary: 'Refused: the runner brings the guest.',
    body: { json: UpgradeRequest, optional: true },
    statuses: [403],
  }),
  environmentReload: operation({
    summary: 'Reads the variables that the host provides again.',
    answer: json(ReloadShape),
    signed: true,
    statuses: [404, 409],
  }),
  apiDescription: operation({
    summary: 'This description, and a page to read it.',
    path: { path: 'Nothing, openapi.json or index.html.' },
    answer: { json: [z.looseObject({})], types: ['text/html'] },
    statuses: [404],
  }),
  welcome,
  welcomePost: welcome,
  welcomePut: welcome,
  welcomeDelete: welcome,
  welcomePatch: welcome,
};
