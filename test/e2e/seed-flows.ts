// Flows that the screens of automation are looked at with: by a record, with a form, by a signal, at a time, a draft.
import type { ConsoleBench } from './open-console.ts'

type Node = Record<string, unknown>

/** Nodes in a row between a start and an end. */
function row(start: Node, nodes: readonly Node[], end: Node = {}): { nodes: Node[]; edges: Node[] } {
  const all = [
    { id: 'start', type: 'start', label: 'Start', config: start },
    ...nodes,
    { id: 'end', type: 'end', label: 'End', config: end },
  ]
  const edges = all.slice(1).map((node, at) => ({ id: `e${at}`, source: all[at]!.id, target: node.id }))
  return { nodes: all, edges }
}

/** Saves them; `object` is the one whose records start the first. */
export async function putFlows(bench: ConsoleBench, object: string): Promise<void> {
  const put = async (name: string, label: string, flow: Node): Promise<unknown> =>
    bench.api('POST', '/automation', { name, label, status: 'active', ...flow })
  await put('check_books', 'Check new books', {
    type: 'record_change',
    description: 'Works out how long a book takes to read.',
    ...row({ object, events: ['create'] }, [
      { id: 'work', type: 'transform', label: 'Work out hours', config: { expression: 'record.pages * 3' } },
      // A title is no number, so this step fails.
      {
        id: 'store',
        type: 'update_record',
        label: 'Store hours',
        config: { object, id: '{{ record.id }}', data: { pages: '{{ record.title }}' } },
      },
    ]),
  })
  const field = { name: 'why', label: 'Why?', type: 'text', required: true }
  await put('ask_reason', 'Ask for a reason', {
    type: 'screen',
    ...row(
      {},
      [
        {
          id: 'ask',
          type: 'screen',
          label: 'Ask',
          config: { title: 'Say why', fields: [field], submitLabel: 'Send it' },
        },
      ],
      { output: { answer: '{{ steps["ask"].output.why }}: {{ record.title }}' } },
    ),
  })
  await put('wait_signal', 'Wait for a payment', {
    ...row({}, [{ id: 'wait', type: 'wait', label: 'Wait', config: { signal: 'paid' } }]),
  })
  await put('nightly', 'Nightly', { type: 'schedule', ...row({ cron: '0 9 * * *', timezone: 'Europe/Berlin' }, []) })
  const body = { nodes: [{ id: 'note', type: 'log', label: 'Note it', config: { message: '{{ item }}' } }], edges: [] }
  const branch = (name: string): Node => ({
    name,
    nodes: [{ id: `tell_${name}`, type: 'log', label: `Tell ${name}`, config: { message: name } }],
    edges: [],
  })
  const nested = row({}, [
    { id: 'each', type: 'loop', label: 'For each word', config: { collection: '{{ ["a", "b"] }}', body } },
    { id: 'both', type: 'parallel', label: 'Tell both', config: { branches: [branch('desk'), branch('shop')] } },
    { id: 'count', type: 'transform', label: 'Divide', config: { expression: 'upper(7)' } },
  ])
  await put('summary', 'Summary', {
    variables: [{ name: 'total', type: 'number', defaultValue: 0 }],
    nodes: [...nested.nodes, { id: 'sorry', type: 'log', label: 'Say sorry', config: { message: 'It failed.' } }],
    edges: [
      ...nested.edges,
      { id: 'fault', source: 'count', target: 'sorry', type: 'fault' },
      { id: 'after', source: 'sorry', target: 'end' },
    ],
  })
  await put('idea', 'An idea', { status: 'draft', ...row({}, []) })
}
