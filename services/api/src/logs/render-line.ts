import type { ResourceLogResponse } from '@berth/contract';
import type { WorkloadLogs } from '@berth/usage';

export const renderLine = ({
  at,
  severity,
  text,
}: WorkloadLogs['lines'][number]): ResourceLogResponse['logs'][number] => ({
  timestamp: `${at.replace(' ', 'T')}Z`,
  message: text,
  severity,
  trace_id: '',
});
