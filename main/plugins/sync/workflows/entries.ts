// Approvals and histories of a record as entries of a register: what never changes of one, who decides it, each act and its
// end have keys of their own, so that what machines do at the same time comes together. Pure.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { ApprovalDecision } from '#shared/contracts/workflow.ts'
import type { TravellingApproval, TravellingChange, TravellingWorkflow } from '#main/plugins/workflow/api.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import { ApprovalDefinition } from '#shared/rules/approval-definition.ts'

const text = z.string().max(20_000)
const Opening = z.object({
  workflow: text.nullable(),
  transition: text.nullable(),
  submitterId: text,
  comment: text.nullable(),
  organizationId: text.nullable(),
  definition: ApprovalDefinition,
  createdAt: text,
})
const Approvers = z.array(text).max(1_000)
const End = z.object({ status: z.enum(['approved', 'rejected', 'recalled']), at: text })
const Change = z.object({
  workflow: text,
  from: text.nullable(),
  to: text.nullable(),
  action: text,
  userId: text,
  at: text,
  comment: text.nullable(),
  approvers: Approvers.nullable(),
})

/** What a key says. */
export type WorkflowKey =
  | { readonly kind: 'opening' | 'approvers' | 'end'; readonly approval: string }
  | { readonly kind: 'act'; readonly approval: string; readonly act: string }
  | { readonly kind: 'change'; readonly change: string }

/** Takes a key apart; null for what is of a newer version. */
export function parseWorkflowKey(key: string): WorkflowKey | null {
  const [letter, id = '', part, ...rest] = key.split('|')
  if (letter === 's' && id !== '' && part === undefined) return { kind: 'change', change: id }
  if (letter !== 'a' || id === '') return null
  if (part === undefined) return { kind: 'opening', approval: id }
  if (part === 'to' || part === 'end') return { kind: part === 'to' ? 'approvers' : 'end', approval: id }
  return part === 'act' && rest.length > 0 ? { kind: 'act', approval: id, act: rest.join('|') } : null
}

/** The entries that say what there is of a record. */
export function entriesOf({ approvals, changes }: TravellingWorkflow): Record<string, Json> {
  const entries: [string, unknown][] = []
  for (const { id, approvers, acts, end, ...opening } of approvals) {
    entries.push([`a|${id}`, opening], [`a|${id}|to`, approvers])
    for (const act of acts) entries.push([`a|${id}|act|${act.timestamp}|${act.userId}|${act.decision}`, act])
    if (end !== null) entries.push([`a|${id}|end`, end])
  }
  for (const { id, ...change } of changes) entries.push([`s|${id}`, change])
  return JSON.parse(JSON.stringify(Object.fromEntries(entries))) as Record<string, Json>
}

/** What entries say of those approvals and changes that are whole. */
export function workflowOf(register: Register): TravellingWorkflow {
  const openings = new Map<string, z.output<typeof Opening>>()
  const approvers = new Map<string, string[][]>()
  const acts = new Map<string, ApprovalDecision[]>()
  const ends = new Map<string, TravellingApproval['end']>()
  const changes: TravellingChange[] = []
  for (const [key, { winner, losers }] of register) {
    const parsed = parseWorkflowKey(key)
    const [, value] = winner
    switch (parsed?.kind) {
      case 'opening':
        put(openings, parsed.approval, Opening.safeParse(value).data)
        break
      case 'approvers':
        put(
          approvers,
          parsed.approval,
          [winner, ...losers].flatMap((entry) => {
            const list = Approvers.safeParse(entry[1]).data
            return list === undefined ? [] : [list]
          }),
        )
        break
      case 'act': {
        const act = ApprovalDecision.safeParse(value).data
        if (act !== undefined) acts.set(parsed.approval, [...(acts.get(parsed.approval) ?? []), act])
        break
      }
      case 'end':
        put(ends, parsed.approval, endOf([winner, ...losers].map((entry) => entry[1])))
        break
      case 'change': {
        const change = Change.safeParse(value).data
        if (change !== undefined) changes.push({ id: parsed.change, ...change })
      }
    }
  }
  return {
    approvals: [...openings].map(([id, opening]) => ({
      id,
      ...opening,
      approvers: decidersOf(approvers.get(id) ?? [], acts.get(id) ?? []),
      acts: acts.get(id) ?? [],
      end: ends.get(id) ?? null,
    })),
    changes,
  }
}

function put<T>(map: Map<string, T>, key: string, value: T | undefined): void {
  if (value !== undefined) map.set(key, value)
}

/**
 * Who decides, by lists that did not know of each other: who is in all of them, and whom somebody handed on to who has not
 * handed on since, nor been replaced by somebody who decides nothing, as administrators do and the time that runs out (D-416).
 */
function decidersOf(lists: readonly (readonly string[])[], acts: readonly ApprovalDecision[]): string[] {
  const [first = [], ...others] = lists
  if (others.length === 0) return [...first]
  const named = new Set(lists.flat())
  const handed = acts.filter(({ decision }) => decision === 'reassign')
  const deciders = new Set([...named, ...handed.flatMap(({ to = [] }) => to)])
  const isLeft = (id: string): boolean => {
    const given = handed.filter(({ to }) => to?.includes(id)).map(({ timestamp }) => timestamp)
    const since = given.toSorted().at(-1)
    if (since === undefined) return true
    return handed.some(({ userId, timestamp }) => timestamp > since && (userId === id || !deciders.has(userId)))
  }
  const found = [...named].filter((id) => lists.every((list) => list.includes(id)) || !isLeft(id))
  return found.length > 0 ? found : [...first]
}

const ranks = ['approved', 'rejected', 'recalled']

/**
 * The end that holds, of several that did not know of each other: an approval, whose transition has been made; then a
 * rejection; of two alike the earlier one.
 */
function endOf(values: readonly Json[]): TravellingApproval['end'] | undefined {
  const ends = values.flatMap((value) => End.safeParse(value).data ?? [])
  const rank = ({ status, at }: z.output<typeof End>): string => `${ranks.indexOf(status)} ${at}`
  return ends.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0]
}

/**
 * What has to be written so that a register says what rows say; what it says already is not written again, nor what it says
 * by several entries together: that may not be for the writer to say.
 */
export function missingEntries(said: TravellingWorkflow, register: Register): Record<string, Json> {
  const known = entriesOf(workflowOf(register))
  const wanted = Object.entries(entriesOf(said))
  return Object.fromEntries(wanted.filter(([key, value]) => !isDeepStrictEqual(known[key], value)))
}
