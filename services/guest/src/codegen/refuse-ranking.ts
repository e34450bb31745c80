import type { Handler } from '../http/call.ts';
import { Fault } from '../http/fault.ts';

export const noRankingText =
  'No provider that ranks files by meaning is supported by this guest. Search with /filesystem-content-search or /filesystem-search instead.';

export const refuseRanking: Handler = () => {
  throw new Fault(503, noRankingText);
};
