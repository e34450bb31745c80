// Reads a request of ClickHouse's HTTP interface from its address and body.

export type ClickhouseRequest = {
  /** Statement followed by the rows of an INSERT, as ClickHouse itself joins them. */
  statement: string;
  /** Output format for a statement that names none. */
  format: string;
  /** USE and SET statements that apply to this request only. */
  preparation: readonly string[];
};

// Parameters of the transport or the caller, not of the query; the engine would refuse them as unknown settings.
const noSettings = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'user',
  'password',
  'quota_key',
  'role',
  'session_id',
  'session_check',
  'session_timeout',
  'compress',
  'decompress',
  'enable_http_compression',
  'http_zlib_compression_level',
  'http_headers_progress_interval_ms',
  'send_progress_in_http_headers',
  'wait_end_of_query',
  'buffer_size',
  'stacktrace',
]);

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/**
 * Settings and parameters (`param_<name>`) are set alike. A name with other characters could end the statement early.
 */
function assignment([name, value]: [string, string]): string {
  if (!/^\w+$/.test(name)) throw new Error(`${name} is not the name of a setting.`);
  return `${name} = ${quoted(value)}`;
}

/** `INSERT INTO …` of a request whose body holds rows in the format Native; undefined for any other request. */
export function readBinaryInsert(address: string): string | undefined {
  const query = new URL(address, 'http://localhost').searchParams.get('query') ?? '';
  return /^\s*(INSERT\s.*?)\s+FORMAT\s+Native\s*$/is.exec(query)?.[1];
}

export function readClickhouseRequest(address: string, body: string): ClickhouseRequest {
  const { searchParams } = new URL(address, 'http://localhost');
  const database = searchParams.get('database');
  const assignments = [...searchParams].filter(([name]) => !noSettings.has(name)).map(assignment);
  return {
    statement: [searchParams.get('query') ?? '', body].filter((part) => part !== '').join('\n'),
    format: searchParams.get('default_format') ?? 'TabSeparated',
    preparation: [
      ...(database ? [`USE \`${database.replaceAll('`', '``')}\``] : []),
      ...(assignments.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
    ],
  };
}
