import { followLogs, listLogs } from '@berth/contract';
import { type Registration, read, readThen } from '../http/call.ts';
import { answerFollow, readChosen } from './answer-follow.ts';
import { answerLogs } from './answer-logs.ts';

export const logHandlers: readonly Registration[] = [
  read(listLogs, answerLogs),
  readThen(followLogs, readChosen, answerFollow),
];
