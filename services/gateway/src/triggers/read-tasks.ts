// Reads the tasks of an execution from the body of a request.
import { hostileReason } from '@berth/contract';
import { z } from 'zod';
import { GatewayError } from '../errors/gateway-error.ts';

const Arguments = z.record(z.string(), z.unknown());
type Arguments = z.infer<typeof Arguments>;

/** Exactly the key `tasks`: an event of another system that has such a key among others is one task. */
const TaskList = z.strictObject({ tasks: z.array(z.unknown()) });

/** The same number as in the configuration of a trigger. */
const maxTasks = 1_000;
const Tasks = z.array(Arguments).min(1).max(maxTasks);

const forms =
  'Send no body, {"tasks": […]} with one object for each task, or any other JSON object as the arguments of one task.';

/** Undefined for an empty body: the trigger has tasks of its own. */
export function tasksIn(body: Buffer): readonly Arguments[] | undefined {
  const text = body.toString();
  if (text.trim() === '') return undefined;
  const value = parse(text);
  const hostile = hostileReason(value);
  if (hostile !== undefined) throw refusal(hostile);
  const list = TaskList.safeParse(value);
  if (!list.success) return [read(Arguments, value, `The body has to be a JSON object. ${forms}`)];
  return read(Tasks, list.data.tasks, `tasks has to be a list of 1 to ${maxTasks} objects.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refusal(`The body is not JSON. ${forms}`);
  }
}

function read<Value>(schema: z.ZodType<Value>, value: unknown, message: string): Value {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw refusal(message);
  return parsed.data;
}

const refusal = (message: string): GatewayError => new GatewayError('BAD_REQUEST', { message });
