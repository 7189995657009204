// The flows in force, ready to start: what the metadata says, what the operator says, and which of them can run at all.
// Answers from memory; worked out anew when any metadata, switch or node type changes.
import type { MetadataItem, MetadataService } from '#main/plugins/metadata/api.ts'
import type { ConfigCheck } from '../api.ts'
import type { FlowProblem } from './check-flow.ts'
import { flowProblems } from './check-flow.ts'
import type { FlowDefinition, FlowStatus } from './flow.ts'
import { flowOf, startConfig } from './flow.ts'
import type { FlowState, FlowStates } from './flow-state-store.ts'
import type { NodeTypes } from './node-types.ts'

/** A flow in force. */
export interface KnownFlow {
  readonly item: MetadataItem
  readonly flow: FlowDefinition
  readonly state: FlowState
  /** What keeps an active flow from running; none for the others. */
  readonly problems: readonly FlowProblem[]
  /** The author's status, `invalid` in place of `active` when the flow cannot run any more (D-147). */
  readonly status: FlowStatus
  /** Whether it starts by itself. */
  readonly startsItself: boolean
}

/** The flows of one host. */
export interface FlowBook {
  get(name: string): KnownFlow | undefined
  /** By name. */
  all(): readonly KnownFlow[]
  /** Flows that start when a record of the object changes so: `create`, `update`, `delete`, `undelete`. */
  startedBy(object: string, word: string): readonly KnownFlow[]
  /** Flows that start at an event of the API. */
  startedByEvent(event: string): readonly KnownFlow[]
  /** Flows that start at times. */
  scheduled(): readonly KnownFlow[]
}

const none: readonly KnownFlow[] = Object.freeze([])

/** Makes the book. */
export function createFlowBook(parts: {
  readonly metadata: Pick<MetadataService, 'epoch' | 'list'>
  readonly states: FlowStates
  readonly types: NodeTypes
  readonly check: ConfigCheck
}): FlowBook {
  const { metadata, states, types, check } = parts
  let at = ''
  let flows = new Map<string, KnownFlow>()
  let byChange = new Map<string, KnownFlow[]>()

  const know = (item: MetadataItem): KnownFlow => {
    const flow = flowOf(item)
    const state = states.of(item.name)
    const problems = flow.status === 'active' ? flowProblems(flow, { ...check, types }) : []
    const status = problems.length > 0 ? 'invalid' : flow.status
    const startsItself = status === 'active' && state.isEnabled && !flow.isTemplate
    return { item, flow, state, problems, status, startsItself }
  }

  const refresh = (): void => {
    const now = `${metadata.epoch()} ${states.version()} ${types.version()}`
    if (now === at) return
    at = now
    // The check asks for flows: they have to be known before any is judged.
    flows = new Map()
    for (const item of metadata.list('flow')) flows.set(item.name, know(item))
    byChange = new Map()
    for (const known of flows.values()) {
      if (!known.startsItself || known.flow.type !== 'record_change') continue
      const { object, events } = startConfig(known.flow)
      for (const word of new Set(Array.isArray(events) ? (events as unknown[]) : [])) {
        const key = `${String(object)} ${String(word)}`
        byChange.set(key, [...(byChange.get(key) ?? []), known])
      }
    }
  }

  const all = (): readonly KnownFlow[] => {
    refresh()
    return [...flows.values()]
  }

  return {
    all,
    get(name) {
      refresh()
      return flows.get(name)
    },
    startedBy(object, word) {
      refresh()
      return byChange.get(`${object} ${word}`) ?? none
    },
    startedByEvent: (event) =>
      all().filter(
        ({ flow, startsItself }) => startsItself && flow.type === 'api' && startConfig(flow)['event'] === event,
      ),
    scheduled: () => all().filter(({ flow, startsItself }) => startsItself && flow.type === 'schedule'),
  }
}
