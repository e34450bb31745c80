// Frames of a terminal's WebSocket: JSON texts.

export type ClientFrame = { type: 'input'; data: string } | { type: 'resize'; cols: number; rows: number };

const maxSide = 1000;

/** A number of columns or rows that a screen can have, otherwise the default. */
export function sideOf(value: unknown, otherwise: number): number {
  const side = typeof value === 'string' ? Number.parseInt(value, 10) : value;
  if (typeof side !== 'number' || !Number.isFinite(side) || side < 1) return otherwise;
  return Math.min(maxSide, Math.floor(side));
}

/** `unknown`: valid JSON of an unknown form, from a newer client. Undefined: not JSON. */
export function parseClientFrame(text: string): ClientFrame | 'unknown' | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof frame !== 'object' || frame === null || !('type' in frame)) return 'unknown';
  if (frame.type === 'input' && 'data' in frame && typeof frame.data === 'string') {
    return { type: 'input', data: frame.data };
  }
  if (frame.type === 'resize' && 'cols' in frame && 'rows' in frame) {
    return { type: 'resize', cols: sideOf(frame.cols, 80), rows: sideOf(frame.rows, 24) };
  }
  return 'unknown';
}

export function serverFrame(type: 'output' | 'error', data: string): string {
  return JSON.stringify({ type, data });
}
