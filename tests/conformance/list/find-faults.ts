// Finds faults between the list of statements and the tests that ran.
import type { Statement } from './statements.ts';
import type { RunResult, TestResult } from './test-results.ts';
import { type Topics, waitingTopics } from './topics.ts';

const repeated = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
];

function topicFaults({ id, waiting, topic = 'nothing that is named' }: Statement, topics: Topics): string[] {
  if (waiting === undefined || topics[topic] === true) return [];
  if (topics[topic] === false) return [`${id}: waits for ${topic}, and that is built. Give it a test.`];
  return [`${id}: waits for ${topic}. Choose one of: ${Object.keys(topics).join(', ')}.`];
}

function formFaults({ id, tests, waiting, topic, partly, notAStatement }: Statement): string[] {
  const given = [tests, waiting, notAStatement].filter((part) => part !== undefined).length;
  return [
    ...(given === 1 ? [] : [`${id}: has ${given} of tests, waiting and notAStatement. Give exactly one.`]),
    ...(waiting === undefined && partly !== undefined ? [`${id}: is shown partly and does not wait.`] : []),
    ...(waiting === undefined && topic !== undefined ? [`${id}: has a topic and does not wait. Take it out.`] : []),
  ];
}

function proofFaults({ id, tests = [], partly = [] }: Statement, results: ReadonlyMap<string, TestResult>): string[] {
  return [...tests, ...partly].flatMap((title) => {
    const status = results.get(title)?.status;
    if (status === 'passed') return [];
    return [`${id}: its test ${status === undefined ? 'does not exist' : `is ${status}`}: ${title}`];
  });
}

export function findFaults(
  statements: readonly Statement[],
  { tests, brokenFiles }: RunResult,
  topics: Topics = waitingTopics,
): string[] {
  const results = new Map(tests.map((result) => [result.title, result]));
  const proving = new Set(statements.flatMap(({ tests: whole = [], partly = [] }) => [...whole, ...partly]));
  return [
    ...repeated(statements.map(({ id }) => id)).map((id) => `${id}: two statements have this id.`),
    ...statements.flatMap(formFaults),
    ...statements.flatMap((statement) => topicFaults(statement, topics)),
    ...statements.flatMap((statement) => proofFaults(statement, results)),
    ...repeated(tests.map(({ title }) => title)).map((title) => `Two tests have this title: ${title}`),
    ...tests.filter(({ title }) => !proving.has(title)).map(({ title }) => `No statement is proven by: ${title}`),
    ...tests
      .filter(({ title, group }) => !title.startsWith(`${group}.`))
      .map(({ title, group }) => `The title does not begin with the name of its file, ${group}: ${title}`),
    ...brokenFiles.map((file) => `${file} broke outside its tests.`),
  ];
}
