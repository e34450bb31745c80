import { listRequestMetrics } from '@berth/contract';
import { type Registration, read } from '../http/call.ts';
import { answerRequestMetrics } from './answer-request-metrics.ts';

export const requestMetricHandlers: readonly Registration[] = [read(listRequestMetrics, answerRequestMetrics)];
