import type { HandlerTable } from '../http/call.ts';

export const codegenHandlers = {
  codeApply: () => import('./answer-apply.ts').then(({ answerApply }) => answerApply),
  codeRank: () => import('./refuse-ranking.ts').then(({ refuseRanking }) => refuseRanking),
} satisfies HandlerTable;
