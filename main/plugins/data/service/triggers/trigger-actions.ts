// What the actions of triggers do (D-98): records through the data service, scripts through theirs. An action whose
// service is not installed fails with a sentence.
import { validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx, Write } from '#main/kernel/database.ts'
import type { AutomationService } from '#main/plugins/automation/api.ts'
import type { NotificationsService } from '#main/plugins/notifications/api.ts'
import type { DataService } from '../../api.ts'
import type { ScriptsService } from '#main/plugins/scripts/api.ts'

/** The record an event is about. */
export interface TriggerSubject {
  readonly object: string
  readonly recordId: string
  readonly event: string
  readonly record: Readonly<Record<string, unknown>>
  readonly previous: Readonly<Record<string, unknown>> | null
  /** Who caused the event; null for nobody in particular. */
  readonly userId: string | null
}

/** What actions work with. */
export interface TriggerActionParts {
  readonly data: Pick<DataService, 'create' | 'update' | 'bulk' | 'find'>
  readonly write: Write
  readonly scripts: () => ScriptsService | undefined
  readonly automation: () => Pick<AutomationService, 'startLater'> | undefined
  readonly notifications: () => Pick<NotificationsService, 'notify'> | undefined
  /** Whether there is such a user where a trigger works. */
  readonly isUser: (userId: string, organizationId: string | null) => boolean
}

/**
 * Runs one action with its templates filled in.
 * @param done marks it as done in the transaction of what it does, where it has one of its own
 * @throws PlatformError
 */
export type RunTriggerAction = (
  ctx: RequestContext,
  type: string,
  config: Readonly<Record<string, unknown>>,
  subject: TriggerSubject,
  done: (tx: Tx) => void,
) => Promise<void>

/** Records one action may change by a filter; more are refused rather than changed in part. */
const maxFiltered = 1_000

/** Makes the actions. */
export function createTriggerActions(parts: TriggerActionParts): RunTriggerAction {
  const { data, scripts } = parts

  const updateFiltered = async (
    ctx: RequestContext,
    object: string,
    filter: unknown,
    values: Record<string, unknown>,
  ): Promise<void> => {
    const page = await data.find(ctx, object, { filter, select: ['id'], top: maxFiltered })
    if (page.hasMore) throw refuse('filter', `More than ${maxFiltered} records match.`)
    if (page.records.length === 0) return
    const options = { atomic: true, returnRecords: false, continueOnError: false, validateOnly: false }
    const records = page.records.map((record) => ({ id: String(record['id']), data: values }))
    const result = await data.bulk(ctx, { object, operation: 'update', records, options, maxRecords: maxFiltered })
    if (result.error !== undefined) throw refuse('filter', result.error.message)
  }

  const notify = async (
    ctx: RequestContext,
    config: Readonly<Record<string, unknown>>,
    { object, recordId }: TriggerSubject,
    done: (tx: Tx) => void,
  ): Promise<void> => {
    const service = parts.notifications() ?? absent('notification')
    const to = config['to'] ?? missing('to')
    const listed: readonly unknown[] = Array.isArray(to) ? to : String(to as string).split(',')
    const users = new Set(listed.map((one) => String(one).trim()))
    for (const user of users)
      if (!parts.isUser(user, ctx.organizationId)) throw refuse('to', 'There is no such user.', 'invalid_reference')
    const title = textOf(config, 'title') ?? missing('title')
    await parts.write('data.trigger', (tx) => {
      for (const userId of users)
        service.notify(tx, {
          userId,
          type: 'record',
          title,
          body: textOf(config, 'body') ?? '',
          data: { object, recordId },
          actionUrl: textOf(config, 'actionUrl') ?? `#/o/${object}?rec=${recordId}`,
          ...(ctx.organizationId === null ? {} : { organizationId: ctx.organizationId }),
        })
      done(tx)
    })
  }

  return async (ctx, type, config, subject, done) => {
    switch (type) {
      case 'update_record': {
        const object = textOf(config, 'object') ?? subject.object
        const values = mapOf(config, 'data')
        if (config['filter'] !== undefined) return updateFiltered(ctx, object, config['filter'], values)
        const id = textOf(config, 'id') ?? (object === subject.object ? subject.recordId : undefined)
        if (id === undefined) throw refuse('id', 'An update of another object needs an id or a filter.')
        await data.update(ctx, { object, id, data: values })
        return
      }
      case 'create_record':
        await data.create(ctx, { object: textOf(config, 'object') ?? missing('object'), data: mapOf(config, 'data') })
        return
      case 'script': {
        const service = scripts() ?? absent('scripts')
        const { record, previous, object, event } = subject
        const input = config['input'] ?? { object, event, record, previous }
        const name = textOf(config, 'function')
        const source = textOf(config, 'source') ?? textOf(config, 'body')
        if (name !== undefined) await service.runFunction(ctx, name, input)
        else await service.run(ctx, { source: source ?? missing('source'), input })
        return
      }
      case 'run_flow': {
        const service = parts.automation() ?? absent('automation')
        const { object, recordId, event, userId } = subject
        const input = {
          object,
          // What is deleted is read by nobody.
          ...(event === 'delete' ? {} : { recordId }),
          event,
          params: config['params'] === undefined ? {} : mapOf(config, 'params'),
          ...(userId === null ? {} : { userId }),
        }
        return service.startLater(ctx, textOf(config, 'flow') ?? missing('flow'), input, done)
      }
      case 'notify':
        return notify(ctx, config, subject, done)
      default:
        throw refuse('type', 'There is no action of this type.')
    }
  }
}

function textOf(config: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = Object.hasOwn(config, key) ? config[key] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

function mapOf(config: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  const value = Object.hasOwn(config, key) ? config[key] : undefined
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  return missing(key)
}

function missing(key: string): never {
  throw refuse(key, 'The configuration of the action lacks this.', 'required')
}

function absent(service: string): never {
  throw refuse('type', `The service "${service}" is not installed.`)
}

function refuse(
  field: string,
  message: string,
  code: 'required' | 'not_allowed' | 'invalid_reference' = 'not_allowed',
): Error {
  return validationError([{ field, code, message }])
}
