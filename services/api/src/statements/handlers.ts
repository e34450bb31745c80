import { getStatement, listStatements } from '@berth/contract';
import { type Registration, read } from '../http/call.ts';
import { readStatement, readStatements } from './read-statements.ts';

export const statementHandlers: readonly Registration[] = [
  read(listStatements, readStatements),
  read(getStatement, readStatement),
];
