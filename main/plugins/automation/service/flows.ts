// Flows as their endpoints show and change them (D-146 to D-149). The item belongs to metadata; this adds defaults, the
// switch, and the words of the protocol.
import type { z } from 'zod'
import type { Flow, FlowSummary } from '#shared/contracts/automation.ts'
import { PlatformError, validationError } from '#shared/errors.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { pageOf } from '#main/kernel/list-page.ts'
import type { Write } from '#main/kernel/database.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { automationError } from '../errors.ts'
import { sealCredentials } from './credentials.ts'
import type { FlowStatus, FlowType } from './flow.ts'
import { labelOf, statusOf } from './flow.ts'
import type { FlowBook, KnownFlow } from './flow-book.ts'
import type { FlowRule } from './flow-rule.ts'
import type { FlowStates } from './flow-state-store.ts'
import { withoutGateways } from './gateways.ts'
import type { RunRights } from './run-rights.ts'

type Body = Readonly<Record<string, unknown>>
type ShownFlow = z.input<typeof Flow>
type Summary = z.input<typeof FlowSummary>

/** Flows for their endpoints. */
export interface Flows {
  list(
    ctx: RequestContext,
    query: {
      status?: FlowStatus | undefined
      type?: FlowType | undefined
      limit?: number | undefined
      cursor?: string | undefined
    },
  ): { flows: Summary[]; total: number; nextCursor?: string; hasMore: boolean }
  /** @throws flow_not_found */
  get(ctx: RequestContext, name: string): ShownFlow
  /** @throws flow_already_exists, flow_validation_failed, validation_error */
  create(ctx: RequestContext, body: Body): Promise<ShownFlow>
  /** @throws flow_not_found, flow_validation_failed, invalid_state_transition, validation_error */
  update(ctx: RequestContext, name: string, body: Body, ifMatch: string | undefined): Promise<ShownFlow>
  /** @throws flow_not_found, item_locked, delete_restricted */
  remove(ctx: RequestContext, name: string, ifMatch: string | undefined): Promise<{ name: string; deleted: boolean }>
  /** @throws flow_not_found */
  toggle(
    ctx: RequestContext,
    name: string,
    enabled: boolean,
  ): Promise<{ name: string; enabled: boolean; status: FlowStatus }>
  /** A flow the caller knows of. @throws flow_not_found */
  require(ctx: RequestContext, name: string): KnownFlow
}

/** What flows work with. */
export interface FlowParts {
  readonly metadata: MetadataService
  readonly book: FlowBook
  readonly states: FlowStates
  readonly secrets: SecretStore
  readonly write: Write
  readonly rule: FlowRule
  readonly rights: Pick<RunRights, 'standsForSystem'>
  readonly isAdministrator: (ctx: RequestContext) => boolean
  /** Brings what comes due in line with a flow that was saved. */
  readonly saved: () => Promise<void>
  readonly lastRuns: () => ReadonlyMap<string, string>
}

const pageBounds = { usual: 50, most: 100 }
/** Members the server gives. */
const givenKeys = ['version', 'enabled', 'active', 'errors'] as const

/** Makes the service. */
export function createFlows(parts: FlowParts): Flows {
  const { metadata, book, states } = parts

  const seen = (ctx: RequestContext, known: KnownFlow): Body | null => metadata.seen(ctx, known.item)

  const requireFlow = (ctx: RequestContext, name: string): KnownFlow => {
    const known = book.get(name)
    if (known === undefined || seen(ctx, known) === null) throw automationError('flow_not_found', { name })
    return known
  }

  const show = (ctx: RequestContext, known: KnownFlow): ShownFlow => {
    const { item, flow, status, state, problems } = known
    const body = seen(ctx, known) ?? {}
    const { description } = body
    return {
      ...without(body, givenKeys),
      name: item.name,
      label: flow.label,
      ...(typeof description === 'string' ? { description } : {}),
      version: item.version,
      status,
      template: flow.isTemplate,
      type: flow.type,
      active: state.isEnabled && status === 'active',
      enabled: state.isEnabled,
      runAs: flow.runAs,
      ...(problems.length > 0 && body['nodes'] !== undefined ? { errors: problems.map((one) => ({ ...one })) } : {}),
    } as ShownFlow
  }

  const save = async (
    ctx: RequestContext,
    name: string,
    item: Record<string, unknown>,
    conditions: { ifMatch?: string; ifNoneMatch?: string },
  ): Promise<ShownFlow> => {
    const sealed = await sealCredentials(withoutGateways(item), parts.secrets)
    // Asked first, so that a fault of the graph has the code of flows; metadata asks again in the write.
    parts.rule.require(ctx, name, sealed)
    await metadata.save(ctx, { type: 'flow', name, item: sealed, ...conditions })
    await parts.saved()
    return show(ctx, book.get(name)!)
  }

  return {
    require: requireFlow,
    list(ctx, { status, type, ...query }) {
      const binding = ['flows', ctx.actor.id, status ?? null, type ?? null]
      const all = book
        .all()
        .filter((known) => status === undefined || known.status === status)
        .filter(({ flow }) => type === undefined || flow.type === type)
        .filter((known) => seen(ctx, known) !== null)
      const { shown, ...page } = pageOf(all, query, pageBounds, ({ item }) => item.name, binding)
      const runs = parts.lastRuns()
      const flows = shown.map(({ item, flow, state, status: current }): Summary => {
        const lastRunAt = runs.get(item.uid)
        return {
          name: item.name,
          label: flow.label,
          type: flow.type,
          status: current,
          version: item.version,
          enabled: state.isEnabled,
          nodeCount: flow.nodes.length,
          ...(lastRunAt === undefined ? {} : { lastRunAt }),
        }
      })
      return { flows, total: all.length, ...page }
    },
    get: (ctx, name) => show(ctx, requireFlow(ctx, name)),
    async create(ctx, body) {
      const name = String(body['name'])
      if (book.get(name) !== undefined) throw automationError('flow_already_exists', { name })
      const item = { ...defaultsOf(name), ...itemOf(ctx, body), name }
      try {
        return await save(ctx, name, item, { ifNoneMatch: '*' })
      } catch (error) {
        // One that is no flow in force: a draft beside, or archived.
        const isTaken = error instanceof PlatformError && error.code === 'conflict'
        throw isTaken ? automationError('flow_already_exists', { name }) : error
      }
    },
    async update(ctx, name, body, ifMatch) {
      const known = requireFlow(ctx, name)
      const change = Object.hasOwn(body, 'definition') ? body['definition'] : body
      if (!isJsonMap(change))
        throw validationError([{ field: 'definition', code: 'invalid_type', message: 'A definition is a map.' }])
      const before = without(known.item.item, givenKeys)
      const item = { ...defaultsOf(name), ...before, status: statusOf(known.item.item), ...itemOf(ctx, change) }
      return save(ctx, name, item, ifMatch === undefined ? {} : { ifMatch })
    },
    async remove(ctx, name, ifMatch) {
      requireFlow(ctx, name)
      const { deleted } = await metadata.remove(ctx, {
        type: 'flow',
        name,
        ...(ifMatch === undefined ? {} : { ifMatch }),
      })
      return { name, deleted }
    },
    async toggle(ctx, name, enabled) {
      const { state, flow } = requireFlow(ctx, name)
      // Whoever lets it act as the system again stands for it from now on.
      const takesOn = enabled && flow.runAs === 'system' && !parts.rights.standsForSystem(state.savedBy)
      const savedBy = takesOn && ctx.actor.type === 'user' && parts.isAdministrator(ctx) ? ctx.actor.id : state.savedBy
      await parts.write('automation.toggle', (tx) => {
        states.put(tx, name, { ...state, savedBy, isEnabled: enabled })
        const takenOn = savedBy === state.savedBy ? {} : { savedBy }
        tx.emit(ctx, { type: 'flow.switched', payload: { flow: name, enabled, ...takenOn } })
      })
      return { name, enabled, status: book.get(name)!.status }
    },
  }
}

function defaultsOf(name: string): Record<string, unknown> {
  return {
    name,
    label: labelOf(name),
    status: 'draft',
    template: false,
    type: 'autolaunched',
    nodes: [],
    edges: [],
    runAs: 'user',
  }
}

/** What of a request goes into the item; `active` without `status` is the older word for it (D-147, D-202). */
function itemOf(ctx: RequestContext, body: Body): Record<string, unknown> {
  const { active } = body
  const item = without(body, givenKeys)
  if (active === undefined) return item
  ctx.deprecations.push({ name: 'active', use: 'status' })
  if (typeof active !== 'boolean')
    throw validationError([
      { field: 'active', code: 'invalid_boolean', message: 'Expected true or false.', value: active },
    ])
  return body['status'] === undefined ? { ...item, status: active ? 'active' : 'draft' } : item
}

function without(body: Body, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !keys.includes(key)))
}
