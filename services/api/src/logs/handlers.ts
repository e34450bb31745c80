import { listLogs } from '@berth/contract';
import { type Registration, read } from '../http/call.ts';
import { answerLogs } from './answer-logs.ts';

export const logHandlers: readonly Registration[] = [read(listLogs, answerLogs)];
