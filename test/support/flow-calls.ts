// What tests of flows share: saving one, starting it, and waiting for what it becomes.
import type { Answer, TestHost } from './create-test-host.ts'

type Body = Record<string, unknown>

/** A flow of nodes in a row between a start and an end. */
export function rowOf(...nodes: Body[]): { nodes: Body[]; edges: Body[] } {
  const all: Body[] = [{ id: 'start', type: 'start' }, ...nodes, { id: 'end', type: 'end' }]
  return { nodes: all, edges: edgesOf(all) }
}

/** Nodes of a body, one after the other. */
export function bodyOf(...nodes: Body[]): { nodes: Body[]; edges: Body[] } {
  return { nodes, edges: edgesOf(nodes) }
}

function edgesOf(nodes: Body[]): Body[] {
  return nodes.slice(1).map((node, index) => ({ id: `e${index}`, source: nodes[index]!['id'], target: node['id'] }))
}

/** Saves an active flow; fails the test when it is refused. */
export async function saveFlow(host: Pick<TestHost, 'post'>, name: string, flow: Body): Promise<void> {
  const answer = await host.post('/automation', { name, status: 'active', ...flow })
  if (answer.status !== 201) throw new Error(`The flow ${name} was refused: ${JSON.stringify(answer.body)}`)
}

/** Starts a flow and answers its run with all steps, however it ended. */
export async function runFlow(
  host: Pick<TestHost, 'post' | 'get'>,
  name: string,
  body: Body = {},
): Promise<Body & { steps: Body[] }> {
  const started = await host.post(`/automation/${name}/trigger`, body)
  const runId = (started.body.data?.runId ?? started.body.error?.details?.runId) as string | undefined
  if (runId === undefined) throw new Error(`The flow ${name} did not start: ${JSON.stringify(started.body)}`)
  return runOf(host, name, runId)
}

/** A run with its steps. */
export async function runOf(
  host: Pick<TestHost, 'get'>,
  name: string,
  runId: string,
): Promise<Body & { steps: Body[] }> {
  const { status, body } = await host.get(`/automation/${name}/runs/${runId}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data as Body & { steps: Body[] }
}

/** The runs of a flow, once a condition holds for them. */
export async function runsWhen(
  host: Pick<TestHost, 'get'>,
  name: string,
  holds: (runs: Body[]) => boolean,
): Promise<Body[]> {
  let answer: Answer | undefined
  for (let tries = 0; tries < 400; tries += 1) {
    answer = await host.get(`/automation/${name}/runs?limit=100`)
    const runs = answer.body.data.runs as Body[]
    if (holds(runs)) return runs
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`The runs of ${name} did not become what they should: ${JSON.stringify(answer?.body)}`)
}

/** Whether every run has come to its end. */
export function areOver(runs: readonly Body[]): boolean {
  return runs.every(({ status }) => !['pending', 'running', 'retrying'].includes(String(status)))
}
