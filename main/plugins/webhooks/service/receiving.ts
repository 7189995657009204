// A call of a receiver: who calls is verified, a message counts once, and the action runs on its target alone, as whoever
// last said what it does (D-196, D-400). Knows no HTTP.
import type { z } from 'zod'
import type { HookAnswer } from '#shared/contracts/webhooks.ts'
import { PlatformError, platformError } from '#shared/errors.ts'
import { ExpressionError, compileOpenExpression } from '#shared/expression/compile-expression.ts'
import type { RawBody } from '#shared/route.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { AutomationService } from '#main/plugins/automation/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { ScriptsService } from '#main/plugins/scripts/api.ts'
import { webhookError } from '../errors.ts'
import { addMessage, removeMessage } from '../store.ts'
import type { Receivers, StoredReceiver } from './receivers.ts'
import { verify } from './verification.ts'

/** What receiving works with. */
export interface ReceivingParts {
  readonly write: Write
  readonly clock: Clock
  readonly log: Logger
  readonly receivers: Receivers
  readonly data: Pick<DataService, 'bulk'>
  readonly scripts: () => ScriptsService | undefined
  readonly flows: () => AutomationService | undefined
  readonly timeZone: () => string
}

/** A call as the route hands it on. */
export interface HookCall {
  readonly path: string
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
  readonly raw: RawBody
}

type Answer = z.input<typeof HookAnswer>

/** How long an answer waits for the run of a flow. */
const longestWaitMs = 30_000

/** Headers an action does not see: they prove who calls. */
const provingHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key'])

/** Makes the door. @returns the answer, and whether the action goes on after it */
export function createReceiving(parts: ReceivingParts) {
  const { write, clock, receivers } = parts

  const run = async (ctx: RequestContext, receiver: StoredReceiver, call: HookCall): Promise<Partial<Answer>> => {
    const { action, target } = receiver.definition
    const input = await inputOf(receiver, call)
    switch (action) {
      case 'script': {
        const scripts = parts.scripts()
        if (scripts === undefined) throw platformError('service_unavailable', { service: 'scripts' })
        return { result: (await scripts.runFunction(ctx, target, input)).value }
      }
      case 'trigger_flow': {
        const flows = parts.flows()
        if (flows === undefined) throw platformError('service_unavailable', { service: 'automation' })
        const waitMs = receiver.definition.responseMode === 'sync' ? longestWaitMs : 0
        const options = { waitMs, type: 'webhook' as const }
        const run = await flows.trigger(ctx, target, { params: input }, options)
        if (run.error !== undefined)
          throw webhookError('receiver_action_failed', { runId: run.runId, cause: run.error })
        return { runId: run.runId, ...(run.output === undefined ? {} : { result: run.output }) }
      }
      case 'upsert_record':
        return upsert(ctx, receiver, input)
    }
  }

  const inputOf = async (receiver: StoredReceiver, { headers, body, query }: HookCall) => {
    const verification = await receivers.verificationOf(receiver)
    const token = verification.type === 'header_token' ? verification.params.header.toLowerCase() : ''
    const shown = Object.entries(headers).filter(([name]) => name !== token && !provingHeaders.has(name))
    return { body: body ?? null, headers: Object.fromEntries(shown), query }
  }

  const upsert = async (
    ctx: RequestContext,
    { definition }: StoredReceiver,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Partial<Answer>> => {
    const { target: object, mapping, externalIdField } = definition
    const data = mapping === undefined ? input['body'] : mapped(mapping, input)
    if (typeof data !== 'object' || data === null || Array.isArray(data))
      throw webhookError('receiver_action_failed', { reason: 'The body is no map of fields.' })
    const values = data as Record<string, unknown>
    const value = externalIdField === undefined ? undefined : values[externalIdField]
    const isKnown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    if (externalIdField !== undefined && !isKnown)
      throw webhookError('receiver_action_failed', { reason: `The message has no ${externalIdField}.` })
    const options = { atomic: true, returnRecords: false, continueOnError: false, validateOnly: false }
    const item = externalIdField !== undefined && isKnown ? { externalId: { field: externalIdField, value } } : {}
    const operation = externalIdField === undefined ? 'create' : 'upsert'
    const { results } = await parts.data.bulk(ctx, { object, operation, records: [{ ...item, data: values }], options })
    const [result] = results
    if (result?.id === undefined || !result.success)
      throw webhookError('receiver_action_failed', { object, cause: result?.errors?.[0] ?? null })
    return { object, id: result.id }
  }

  const mapped = (mapping: Readonly<Record<string, string>>, vars: Readonly<Record<string, unknown>>): unknown => {
    const scope = { vars, record: null, previous: null, now: clock.now(), timeZone: parts.timeZone() }
    return Object.fromEntries(
      Object.entries(mapping).map(([field, source]) => [field, compileOpenExpression(source).evaluate(scope)]),
    )
  }

  return async (
    request: RequestContext,
    call: HookCall,
  ): Promise<{ readonly answer: Answer; readonly isAccepted: boolean }> => {
    const receiver = receivers.at(call.path)
    const isOpen = receiver !== undefined && (call.method !== 'GET' || receiver.definition.action === 'script')
    if (!isOpen) throw webhookError('receiver_not_found', { path: call.path })
    // A script may write; other systems are no pages, not even those of another program on this machine.
    const site = call.headers['sec-fetch-site']
    if (call.method === 'GET' && site !== undefined && site !== 'none')
      throw platformError('origin_forbidden', { reason: 'fetch_site' })
    const { row, definition } = receiver
    const messageId = verify(await receivers.verificationOf(receiver), { ...call, now: clock.now() })
    if (messageId === undefined) throw webhookError('receiver_verification_failed', { receiver: row.name })
    const standing = receivers.standingOf(receiver)
    if (typeof standing === 'string')
      throw webhookError('receiver_action_failed', { receiver: row.name, reason: 'stopped' })
    if (messageId !== null) {
      const isNew = await write('webhooks.message', (tx) => addMessage(tx, row.id, messageId, clock.now()))
      if (!isNew) throw webhookError('receiver_replay', { receiver: row.name, id: messageId })
    }
    const ctx: RequestContext = {
      ...standing,
      requestId: request.requestId,
      signal: definition.responseMode === 'sync' ? request.signal : internalContext('').signal,
    }
    const done = run(ctx, receiver, call).catch(async (error: unknown) => {
      // Whoever sent it may send it again.
      if (messageId !== null) await write('webhooks.message', (tx) => removeMessage(tx, row.id, messageId))
      throw failureOf(error, row.name)
    })
    if (definition.responseMode === 'sync') {
      return { answer: { success: true, receiver: row.name, ...(await done) }, isAccepted: false }
    }
    done.catch((error: unknown) =>
      parts.log.warn({ err: error, receiver: row.name }, 'The action of a receiver failed.'),
    )
    return { answer: { success: true, receiver: row.name }, isAccepted: true }
  }
}

/** What callers are told of an action that failed. */
function failureOf(error: unknown, receiver: string): unknown {
  if (error instanceof ExpressionError)
    return webhookError('receiver_action_failed', {
      receiver,
      cause: { code: 'expression_error', message: error.message },
    })
  if (!(error instanceof PlatformError) || error.code === 'receiver_action_failed' || error.httpStatus >= 500)
    return error
  return webhookError('receiver_action_failed', {
    receiver,
    cause: { code: error.code, message: error.message, details: error.details },
  })
}
